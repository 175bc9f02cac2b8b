module github.com/trunkline/trunkline/clients/go

go 1.19
