import pg from 'pg';

/** One statement on a connection to PostgreSQL of its own. */
export async function queryOnce(
  url: string,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new pg.Client({ connectionString: url });
  // The database of a failed test is dropped under the connections that are still open. A statement
  // fails with that; beside one, it would end the process if nothing listened.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
