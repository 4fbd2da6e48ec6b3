"""Programs as a consumer would write them; the demo runs each in its own environment."""

WRITE_AND_READ = """\
import sys
from acme_schemas.example.company import Address, Company, State, read_file, write_file

write_file(sys.argv[1], [
    Company(Id=1, Name="Acme", NumberOfEmployees=250,
            Address=Address(StreetName="1 Main St", City="Sunnyvale", State=State.CA)),
    Company(Id=2, Name="Initech", NumberOfEmployees=None,
            Address=Address(StreetName="4120 Freidrich Ln", City="Austin", State=State.TX)),
])
for company in read_file(sys.argv[1]):
    print(company.Name, company.NumberOfEmployees, company.Address.State)
"""

READ_ON_SPARK = """\
import json, sys
from pyspark import SparkConf
from pyspark.sql import SparkSession
from acme_schemas.example.company import Company, State, dataset, from_rows

conf = SparkConf(loadDefaults=False).setAll(list(json.loads(sys.argv[1]).items()))
spark = SparkSession.builder.config(conf=conf).getOrCreate()
companies: list[Company] = list(from_rows(dataset(spark).collect()))
for company in sorted(companies, key=lambda company: company.Id):
    print(company.Id, company.Name, company.Address.City, company.Address.State is State.CA)
spark.stop()
"""

WRITE_UNIT_NUMBER = """\
import sys
from acme_schemas.example.company import Address, Company, State, read_file, write_file

write_file(sys.argv[1], [
    Company(Id=3, Name="Globex", NumberOfEmployees=9000,
            Address=Address(StreetName="9 Elm St", UnitNumber="12b", City="Seattle",
                            State=State.WA)),
])
for company in read_file(sys.argv[1]):
    print(company.Name, company.Address.StreetName, company.Address.UnitNumber)
"""

READ_PINNED = """\
import sys
from acme_schemas.example.company import read_file

for company in read_file(sys.argv[1]):
    print(company.Name, company.Address.StreetName,
          "sees the unit" if hasattr(company.Address, "UnitNumber") else "has no unit field, and reads the file")
"""

READ_BOTH = """\
from acme_schemas.example import company
from acme_schemas.reviews__example import company as rating, rated

print(company.RELATION, *company.Company.example().to_dict())
print(rating.RELATION, rating.Company(id=3, stars=4))
print(rated.RELATION, *rated.Rated.example().to_dict())
"""
