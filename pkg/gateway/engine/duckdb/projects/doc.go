// Package projects has the files of projects: it opens their instances when they are needed and closes them when they
// are not, prepares rows in stages, receives documents, compacts and checks the data, and drops projects.
package projects
