import { ALL_TOOLS_METHOD } from '#app/all-tools.ts';
import type { DaemonClient } from '#client/daemon-client.ts';
import type { ListedTool } from '#core/calls.ts';
import { columns } from '../columns.ts';
import { defineCommand } from '../command.ts';
import { askDaemon } from '../ask-daemon.ts';
import { firstSentence } from '../first-sentence.ts';
import { printAsIs } from '../print-as-is.ts';
import { harmless } from '../terminal-text.ts';

/** A list that never ends is somebody's mistake. */
const MAX_PAGES = 1000;

type Shown = ListedTool & { readonly profile?: string };

export const command = defineCommand({
  name: 'tools',
  summary: 'List the tools of the daemon, which is started if need be',
  options: {
    all: { type: 'boolean', help: 'Also those that the profile leaves out' },
    json: { type: 'boolean', help: 'Print the whole list, schemas and all' },
  },
  async run({ options }, io) {
    const found = options.all
      ? await askDaemon(io, listAll)
      : await askDaemon(io, listListed, { as: 'bearer' });
    const tools = found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    if (options.json) return printAsIs(io, { tools });
    const rows = tools.map((tool) => [
      io.paint('bold', harmless(tool.name)),
      ...(tool.profile === undefined ? [] : [io.paint('dim', tool.profile)]),
      harmless(firstSentence(tool.description)),
    ]);
    io.stdout.write(columns(rows, '', io.width));
    if (tools.length === 0) io.stdout.write('There are no tools for you.\n');
  },
});

async function listAll(client: DaemonClient): Promise<readonly Shown[]> {
  const { tools } = (await client.request(ALL_TOOLS_METHOD, {})) as { tools: Shown[] };
  return tools;
}

async function listListed(client: DaemonClient): Promise<readonly Shown[]> {
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
