// Names of well-known software. A question that holds one is about it, also where a manual mentions it in passing.
import { toWords } from '../index/words.ts'

const names: ReadonlySet<string> = new Set(
  `airflow alembic aws bigquery bitbucket cassandra circleci clickhouse cloudflare cloudfront cmake cockroachdb couchbase
  couchdb dagster dask datadog dbeaver dbt debezium deno dgraph django docker drupal duckdb dynamodb elasticsearch erlang
  esbuild etcd fastapi fastify figma firebase firefox firestore flink gensim github gitlab golang gradle grafana graphql
  grpc gunicorn hadoop haproxy haskell hasura heroku influxdb ios istio javascript jenkins jira jquery jupyter kafka keras
  keycloak kibana knex kotlin kubernetes kubectl laravel liquibase lodash macos magento mariadb matplotlib memcached
  metabase milvus minio mongodb mongoose mssql mypy mysql neo4j netlify nestjs next.js nextjs nginx node.js nodejs npm numba
  numpy nuxt okta opensearch pandas patroni pgadmin pgbouncer pgpool pgvector php phpmyadmin pip pipenv pnpm podman
  postgis postgres postgresql powershell prometheus pydantic pygame pyspark pytest python pytorch qdrant rabbitmq redis
  redshift redux rspec s3 salesforce scikit-learn scipy scrapy seaborn sequelize shopify sidekiq singlestore solr sqlalchemy
  sqlite storybook supabase svelte symfony tensorflow terraform timescaledb twilio typescript ubuntu vercel vite vitess
  vscode vue weaviate webpack wordpress yugabytedb zookeeper`.split(/\s+/u),
)
/** They are words too: names only where they are written with a capital within a sentence. */
const wordNames: ReadonlySet<string> = new Set(
  `alpine android angular ansible apache aurora azure babel bootstrap bun celery chrome citus composer conda consul cypress
  discord eclipse electron elixir ember envoy excel express flask flutter gatsby git hibernate hive hugo jaeger java jest
  julia lambda looker lua maven mocha nim nomad oracle perl phoenix pinecone playwright poetry polars postman prisma pulumi
  puppet pyramid qt rails react remix ruby ruff rust sass scala selenium sentry slack snowflake solid spark spring stripe
  swagger swift tableau tailwind temporal tomcat tornado unity unreal vagrant vault vim yarn`.split(/\s+/u),
)

/** The names in a question, lower case, in their order. */
export function softwareIn(question: string): string[] {
  return toWords(question).flatMap(({ text, start }) => {
    const shown = text.replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '')
    const name = shown.toLowerCase()
    const isWithin = start > 0 && !/[.!?:]\s*$/u.test(question.slice(0, start))
    return names.has(name) || (wordNames.has(name) && isWithin && shown !== name) ? [name] : []
  })
}
