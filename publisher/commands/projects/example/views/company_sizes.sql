SELECT company, count(*) AS members
FROM company_members
GROUP BY company
