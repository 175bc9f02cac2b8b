-- Once, on the primary.
create role trunkline login password '${TRUNKLINE_PASSWORD}';
create database trunkline owner trunkline encoding 'UTF8' template template0;
