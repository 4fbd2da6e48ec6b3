SELECT company.name AS company, member.name AS member, member.position AS position
FROM member JOIN company ON member.companyid = company.id
