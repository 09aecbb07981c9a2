"""Plan → measurements, on Spark. The only room that knows pyspark.

Works on classic Spark and on Spark Connect, from 3.5 on: no RDDs, no JVM access, no cached data, no
change to the session's settings.
"""
