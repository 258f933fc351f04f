import type { Database } from '@wheelhouse/db';

/**
 * Runs one statement as it is written and resolves with its rows. For what no repository has: the harness looks at the
 * tables themselves, and breaks what it looks at.
 */
export async function statement<R>(db: Database['kysely'], text: string): Promise<readonly R[]> {
  const query = { kind: 'RawNode', sqlFragments: [text], parameters: [] };
  // The shape that kysely compiles a query to; kysely itself belongs to the database package.
  const { rows } = await db.executeQuery<R>({ query, queryId: { queryId: text }, sql: text, parameters: [] } as never);
  return rows;
}
