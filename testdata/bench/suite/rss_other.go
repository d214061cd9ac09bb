//go:build !linux

package main

const rssUnit = 1
