-- From here on meta has a row "data of project ID" for each project with a data file; the code that runs this adds those that exist.
DELETE FROM meta WHERE key LIKE 'data of project %';
