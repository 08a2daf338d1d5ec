import { ALL_TOOLS_METHOD } from '#app/all-tools.ts';
import type { DaemonClient } from '#client/daemon-client.ts';
import type { ListedTool } from '#core/calls/calls.ts';
import { defineCommand } from '../command.ts';
import { escapeControls } from '../format/escape-controls.ts';
import { formatColumns } from '../format/layout.ts';
import { firstSentence } from '../format/text.ts';
import { printRawJson } from '../io.ts';
import { runWithDaemon } from '../run-with-daemon.ts';

/** Ends the loop where a server's pages never end. */
const MAX_PAGES = 1000;

type Shown = ListedTool & { readonly profile?: string };

export const command = defineCommand({
  name: 'tools',
  summary: 'List the tools (starts the daemon if needed)',
  options: {
    all: { type: 'boolean', help: 'Also those that the profile leaves out' },
    json: { type: 'boolean', help: 'Print the whole list, schemas and all' },
  },
  async run({ options }, io) {
    const found = options.all
      ? await runWithDaemon(io, listAllTools)
      : await runWithDaemon(io, listTools, { as: 'bearer' });
    const tools = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (options.json) return printRawJson(io, { tools });
    const rows = tools.map((tool) => [
      io.paint('bold', escapeControls(tool.name)),
      ...(tool.profile === undefined ? [] : [io.paint('dim', tool.profile)]),
      escapeControls(firstSentence(tool.description)),
    ]);
    io.stdout.write(formatColumns(rows, '', io.width));
    if (tools.length === 0) io.stdout.write('There are no tools for you.\n');
  },
});

export async function listAllTools(client: DaemonClient): Promise<readonly Shown[]> {
  const { tools } = (await client.request(ALL_TOOLS_METHOD, {})) as { tools: Shown[] };
  return tools;
}

export async function listTools(client: DaemonClient): Promise<readonly Shown[]> {
  const tools: Shown[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const result = (await client.request('tools/list', params)) as {
      tools: Shown[];
      nextCursor?: string;
    };
    tools.push(...result.tools);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}
