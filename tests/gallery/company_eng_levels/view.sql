CREATE VIEW company_eng_levels
TBLPROPERTIES ('functions' = 'STANDARDIZE:com.example.Standardize', 'dependencies' = 'com.example:standardize:1.0.0')
AS SELECT Company.Name, STANDARDIZE(Position) AS StdPosition, COUNT(*) AS Cnt
FROM member JOIN company ON member.CompanyId = company.Id
WHERE INSTR(STANDARDIZE(Position), 'Engineer') > 0
GROUP BY Company.Name, STANDARDIZE(Position);
