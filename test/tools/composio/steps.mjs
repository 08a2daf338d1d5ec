// Composio's SDK, as its documentation shows it, against the emulator.
import { Composio } from '@composio/core';

const { baseURL } = JSON.parse(process.argv[2]);
const open = (apiKey) => new Composio({ apiKey, baseURL, allowTracking: false });
const composio = open('ak_emulated');
const mail = { recipient_email: 'ann@example.com', subject: 'Hi', body: 'Hello' };
const direct = { userId: 'pg-1', arguments: mail };
const any = { dangerouslySkipVersionCheck: true };

const session = await composio.create('pg-1', {
  toolkits: ['gmail', 'composio_search', 'notion'],
  sandbox: { autoOffloadThreshold: 1000 },
  mcp: true,
});
const steps = {
  session: async () => ({ id: session.sessionId, ...session.mcp }),
  use: async () => (await composio.use(session.sessionId)).sessionId === session.sessionId,
  tools: async () => Object.values(await session.tools()).map((tool) => tool.function.name),
  execute: async () => session.execute('GMAIL_SEND_EMAIL', mail),
  failed: async () => session.execute('GMAIL_SEND_EMAIL', {}),
  batch: async () =>
    session.execute('COMPOSIO_MULTI_EXECUTE_TOOL', {
      tools: [
        { tool_slug: 'COMPOSIO_SEARCH_WEB', arguments: { query: 'tides' } },
        { tool_slug: 'NOTION_CREATE_NOTION_PAGE', arguments: {} },
      ],
      sync_response_to_workbench: false,
    }),
  search: async () =>
    (await session.search({ query: 'send an email' })).results[0].primaryToolSlugs[0],
  toolkits: async () =>
    (await session.toolkits()).items.map(({ slug, connection }) => [slug, connection?.isActive]),
  authorize: async () => (await session.authorize('notion')).redirectUrl,
  direct: async () => composio.tools.execute('GMAIL_SEND_EMAIL', { ...direct, ...any }),
  version: async () => composio.tools.execute('GMAIL_SEND_EMAIL', direct),
  list: async () =>
    (await composio.tools.getRawComposioTools({ toolkits: ['gmail'] })).map(({ slug }) => slug),
  unknownTool: async () => composio.tools.execute('NOBODY_DOES', { ...direct, ...any }),
  wrongKey: async () => open('wrong').create('pg-1', {}),
  // It refuses to write to loopback, whatever the address that it is given.
  upload: async () =>
    composio.files.upload({
      file: new File(['a,b'], 'a.csv', { type: 'text/csv' }),
      toolSlug: 'GMAIL_SEND_EMAIL',
      toolkitSlug: 'gmail',
    }),
};

const outcomes = {};
for (const [name, step] of Object.entries(steps)) {
  try {
    outcomes[name] = await step();
  } catch (thrown) {
    outcomes[name] = { threw: thrown.name, cause: String(thrown.cause?.status ?? '') };
  }
}
console.log(JSON.stringify(outcomes));
