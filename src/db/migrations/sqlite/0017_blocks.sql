-- An id is a hash, and a provider's message id as good as one: a thousand new ones go to a thousand places of an index, and each is a
-- page to be written. Block by block, of 8,192 deliveries each, they stay together; whoever looks for one asks the newest block first.
-- That an id exists once is kept by the identity that it is made of, and by whoever imports one that is not.
DROP INDEX deliveries_id;
CREATE INDEX deliveries_id ON deliveries ((seq / 8192), id);
DROP INDEX deliveries_provider_message;
CREATE INDEX deliveries_provider_message ON deliveries ((seq / 8192), provider_message_id) WHERE provider_message_id IS NOT NULL;
