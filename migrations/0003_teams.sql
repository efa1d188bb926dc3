-- Sessions of one team are found by what all of them have seen alike.
CREATE INDEX facts_by_team ON facts (json_extract(data, '$.digest')) WHERE kind = 'team';
