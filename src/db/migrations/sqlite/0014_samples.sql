-- Since when the sample people of the first minute are in this database; null where they are not, and never will be.
ALTER TABLE instance ADD COLUMN samples_since INTEGER;
