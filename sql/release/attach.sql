-- Open the database that holds the release.
--
-- path   its file
-- store  its name from here on
attach {path} as {store}
