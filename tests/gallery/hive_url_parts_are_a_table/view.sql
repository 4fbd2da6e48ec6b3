CREATE VIEW v AS
SELECT id, host, campaign, trim(LEADING '/' FROM path) AS page
FROM visits
LATERAL VIEW parse_url_tuple(url, 'HOST', 'PATH', 'QUERY:utm_campaign') parts AS host, path, campaign
WHERE host NOT LIKE ALL ('%.test', 'localhost');
