-- Of Lighthouses, the fact of a result had the points told up to the last round under the name of those at the end: our
-- referee knows these, first in its sessions' scores.
UPDATE facts SET data = json_object(
    'seat', data -> 'seat', 'rounds', data -> 'rounds', 'told', data -> 'points',
    'points', json((SELECT s.scores -> 0 FROM sessions s WHERE s.id = facts.session AND s.side = 'referee')))
WHERE kind = 'result' AND data ->> 'told' IS NULL AND session IN (SELECT id FROM sessions WHERE game = 'lighthouses');
