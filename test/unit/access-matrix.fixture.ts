import { expect } from 'vitest';
import { asAgent } from '#core/auth/as-agent.ts';
import type { AgentSettings } from '#calls/agents/agent-rows.ts';
import type { Caller } from '#core/calls/call.ts';
import type { JsonObject } from '#core/json/json.ts';
import { readingWrapper, writingWrapper } from '#tools/search/call-tool.ts';
import { getToolSchemas } from '#tools/search/get-tool-schemas.ts';
import { multiExecuteTool } from '#tools/search/multi-execute-tool.ts';
import { searchTools } from '#tools/search/search-tools.ts';
import { OWNER, settled } from '../../src/calls/calls.fixture.ts';
import { createTestHub, scriptServer, type ScriptedServer } from '../hub-harness.ts';

/** The table of the origin: what each agent may do with a tool; `read`: as far as it reads. */
export const TABLE: readonly (readonly [
  server: 'local_toolkit' | 'composio',
  tool: string,
  main: 'yes' | 'no',
  report: 'yes' | 'read' | 'no',
])[] = [
  ['local_toolkit', 'save_corpus', 'no', 'yes'],
  ['local_toolkit', 'write_local_file', 'yes', 'yes'],
  ['local_toolkit', 'workbench_download', 'yes', 'yes'],
  ['local_toolkit', 'workbench_upload', 'yes', 'yes'],
  ['composio', 'COMPOSIO_SEARCH_WEB', 'yes', 'read'],
  ['composio', 'COMPOSIO_SEARCH_NEWS', 'yes', 'read'],
  ['composio', 'GMAIL_SEND_EMAIL', 'yes', 'no'],
  ['composio', 'COMPOSIO_REMOTE_WORKBENCH', 'yes', 'no'],
  // Counts as the workbench.
  ['composio', 'COMPOSIO_REMOTE_BASH_TOOL', 'yes', 'no'],
  ['local_toolkit', 'crawl_parallel', 'yes', 'yes'],
];
export const META = 'COMPOSIO_MULTI_EXECUTE_TOOL';
const OTHERS: Readonly<Record<string, readonly string[]>> = {
  local_toolkit: ['upload_to_composio', 'read_local_file', 'delete_everything'],
  composio: [META, 'OUTLOOK_SEND_EMAIL', 'GMAIL_FETCH_EMAILS'],
  elsewhere: ['GMAIL_SEND_EMAIL', 'COMPOSIO_SEARCH_WEB', 'save_corpus', 'call_tool', 'look'],
};
/** No server of the tests annotates these, as Composio does not. */
const ANNOTATED: Readonly<Record<string, JsonObject>> = { look: { readOnlyHint: true } };

export const MAIN = asAgent(OWNER, 'main');
export const REPORT = asAgent(OWNER, 'report-creation-expert');
export const AGENTS = { main: MAIN, report: REPORT } as const;

function serverOf(names: readonly string[]): ScriptedServer {
  return scriptServer({
    capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
    tools: names.map((name) => ({
      name,
      inputSchema: { type: 'object' },
      ...(ANNOTATED[name] && { annotations: ANNOTATED[name] }),
    })),
    handlers: {
      'tools/call': ({ id }, connection) =>
        connection.send({ id, result: { content: [{ type: 'text', text: 'done' }] } }),
      'prompts/list': ({ id }, connection) =>
        connection.send({ id, result: { prompts: names.map((name) => ({ name })) } }),
      'prompts/get': ({ id }, connection) => connection.send({ id, result: { messages: [] } }),
      'resources/list': ({ id }, connection) =>
        connection.send({
          id,
          result: { resources: names.map((name) => ({ name, uri: `data://${name}` })) },
        }),
      'resources/read': ({ id }, connection) => connection.send({ id, result: { contents: [] } }),
    },
  });
}

const namesOf = (server: string) => [
  ...TABLE.flatMap(([of, tool]) => (of === server ? [tool] : [])),
  ...(OTHERS[server] ?? []),
];

export async function setUpAgents(agents: AgentSettings = {}) {
  const servers = Object.fromEntries(
    ['local_toolkit', 'composio', 'elsewhere'].map((name) => [name, serverOf(namesOf(name))]),
  );
  const hub = await createTestHub(servers, { agents });
  const { calls, registry, content } = hub;
  hub.clock.advance(0);
  await settled();
  const all = Object.keys(servers).flatMap(namesOf).length;
  expect([content.all('prompts'), content.all('resources')].map((each) => each.length)).toEqual([
    all,
    all,
  ]);
  const catalogue = {
    all: () => registry.all(),
    list: (caller: Caller) => calls.list(caller),
    decide: (caller: Caller, tool: string) => calls.decide(caller, tool),
  };
  registry.put('finding', [
    searchTools({ catalogue }),
    getToolSchemas({ catalogue }),
    multiExecuteTool,
    readingWrapper,
    writingWrapper,
  ]);
  /** What reached a server, by any connection, as text. */
  const reached = () =>
    Object.values(servers).flatMap(({ connections }) =>
      connections.flatMap(({ received }) =>
        received.flatMap(({ method = '', params }) =>
          /^(?:tools\/call|prompts\/get|resources\/read|completion)/.test(method)
            ? [JSON.stringify([method, params])]
            : [],
        ),
      ),
    );
  return { ...hub, reached };
}

export const nameOf = (server: string, tool: string) => `mcp__${server}__${tool}`;
