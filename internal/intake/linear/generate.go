package linear

//go:generate sh -c "trap 'rm -f schema.graphql' EXIT; gzip -dc lineartest/testdata/schema.graphql.gz > schema.graphql && go tool genqlient"
