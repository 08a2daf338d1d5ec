import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { envelopeOf } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';

let harness: ToolsHarness;
let bobsToken: string;
beforeAll(async () => {
  harness = await openToolsHarness({ env: { TOOL_PROFILE: 'full' } });
  bobsToken = await harness.addClient('bob');
});
afterAll(() => harness.close());

const ERAS = ['2025-11-25', '2026-07-28'] as const;
type Era = (typeof ERAS)[number];

interface Listener {
  readonly client: Client;
  /** Addresses that were told to have changed, in the order of the news. */
  readonly heard: string[];
  readonly watch: (uris: readonly string[]) => Promise<void>;
  readonly untilHeard: (uri: string) => Promise<void>;
}

/** The official client, as the owner unless it is given another token. */
async function connect(era: Era, token = harness.ownerToken): Promise<Listener> {
  const client = new Client(
    { name: 'e2e', version: '1' },
    { versionNegotiation: { mode: era === '2025-11-25' ? 'legacy' : { pin: era } } },
  );
  const headers = { authorization: `Bearer ${token}` };
  const url = new URL(`${harness.url()}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  onTestFinished(() => client.close());

  const heard: string[] = [];
  let wake = () => {};
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    heard.push(params.uri);
    wake();
  });
  return {
    client,
    heard,
    async watch(uris) {
      if (era === '2026-07-28') await client.listen({ resourceSubscriptions: [...uris] });
      else for (const uri of uris) await client.subscribeResource({ uri });
    },
    async untilHeard(uri) {
      while (!heard.includes(uri)) await new Promise<void>((resolve) => (wake = resolve));
    },
  };
}

interface Called {
  readonly continuation?: { id: string };
  readonly status: string;
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<Called> {
  return envelopeOf(await client.callTool({ name, arguments: args })) as unknown as Called;
}

/** A conversation that takes no model. */
async function begin(client: Client, step: string): Promise<string> {
  const args = { step, step_number: 1, total_steps: 2, next_step_required: true };
  return (await call(client, 'planner', args)).continuation?.id ?? '';
}

async function goOn(client: Client, id: string): Promise<void> {
  const args = { step: 'More', step_number: 2, total_steps: 2, next_step_required: false };
  await call(client, 'planner', { ...args, continuation_id: id });
}

async function read(client: Client, uri: string): Promise<Record<string, unknown>> {
  const { contents } = await client.readResource({ uri });
  const [only] = contents;
  if (!only || !('text' in only)) throw new Error('not one text');
  return JSON.parse(only.text) as Record<string, unknown>;
}

describe.each(ERAS)('with the official client of %s', (era) => {
  verifies(
    'prompts:tools',
    'every tool that a person would start is a prompt, and what it says can be done',
    async () => {
      const { client } = await connect(era);
      const { prompts } = await client.listPrompts();
      const names = prompts.map(({ name }) => name);
      for (const name of ['chat', 'consensus', 'debug', 'planner', 'precommit', 'continue']) {
        expect(names).toContain(name);
      }
      const given = { prompt: 'Say exactly: "Grüezi"\nand no more', model: 'kimi-k3' };
      const { messages } = await client.getPrompt({ name: 'chat', arguments: given });
      const [message] = messages;
      if (message?.content.type !== 'text') throw new Error('not a text');
      const [, line = ''] = /with these arguments:\n(.+)$/m.exec(message.content.text) ?? [];
      const args = JSON.parse(line) as Record<string, unknown>;
      expect(args).toEqual(given);
      expect(await call(client, 'chat', args)).toMatchObject({ status: 'success' });
    },
  );

  verifies(
    'prompts:completion',
    'names of models and one’s own conversations are completed',
    async () => {
      const { client } = await connect(era);
      const bob = await connect(era, bobsToken);
      const mine = await begin(client, `Move the ${era} cellar`);
      const his = await begin(bob.client, `Move the ${era} cellar of Bob`);
      const values = async (who: Client, name: string, value: string, prompt = 'debug') => {
        const { completion } = await who.complete({
          ref: { type: 'ref/prompt', name: prompt },
          argument: { name, value },
        });
        return completion.values;
      };
      expect(await values(client, 'model', 'kimi-k')).toContain('kimi-k3');
      expect(await values(client, 'thinking_mode', 'hi', 'chat')).toEqual(['high']);
      expect(await values(client, 'continuation_id', `cellar ${era}`)).toEqual([mine]);
      expect(await values(bob.client, 'continuation_id', `cellar ${era}`)).toEqual([his]);
      expect(await values(bob.client, 'continuation_id', mine)).toEqual([]);
      const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'exai://threads/{id}' },
        argument: { name: 'id', value: mine.slice(0, 20) },
      });
      expect(completion.values).toContain(mine);
    },
  );

  verifies(
    'resources:threads',
    'conversations, usage and the log are resources, each for whom it concerns',
    async () => {
      const { client } = await connect(era);
      const bob = await connect(era, bobsToken);
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri)).toEqual(
        expect.arrayContaining(['exai://threads', 'exai://usage', 'exai://logs']),
      );
      const id = await begin(client, 'Keep this to ourselves');
      expect(await read(client, 'exai://threads')).toMatchObject({
        threads: expect.arrayContaining([
          expect.objectContaining({ id, uri: `exai://threads/${id}` }),
        ]) as object[],
      });
      expect(await read(client, `exai://threads/${id}`)).toMatchObject({
        thread: { id, title: 'Keep this to ourselves' },
        turns: [{ text: 'Keep this to ourselves' }, { tool: 'planner' }],
      });
      const never = `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`;
      for (const uri of [`exai://threads/${id}`, `exai://threads/${never}`, 'exai://threads/x']) {
        await expect(read(bob.client, uri)).rejects.toThrow(/no conversation/);
      }
      expect(JSON.stringify(await read(bob.client, 'exai://threads'))).not.toContain(id);
      expect(await read(bob.client, 'exai://usage')).toMatchObject({ of: 'you' });
      expect(await read(client, 'exai://usage')).toMatchObject({ of: 'everybody' });
      const { contents } = await client.readResource({ uri: 'exai://logs' });
      expect(contents).toMatchObject([{ uri: 'exai://logs', mimeType: 'application/jsonl' }]);
      await expect(bob.client.readResource({ uri: 'exai://logs' })).rejects.toThrow(/own machine/);
    },
  );

  verifies(
    'resources:watched',
    'who watches a conversation hears of its changes, and nobody else does',
    async () => {
      const owner = await connect(era);
      const bob = await connect(era, bobsToken);
      const mine = await begin(owner.client, 'A plan to be watched');
      const his = await begin(bob.client, 'A plan of Bob');
      const uri = `exai://threads/${mine}`;
      const hisUri = `exai://threads/${his}`;
      await owner.watch([uri]);
      await bob.watch([uri, hisUri]);
      await goOn(owner.client, mine);
      await owner.untilHeard(uri);
      // What is told to Bob comes in order, so his own news would come after what he must not hear.
      await goOn(bob.client, his);
      await bob.untilHeard(hisUri);
      expect(bob.heard).not.toContain(uri);
      expect(owner.heard).toEqual([uri]);
      expect(await read(owner.client, uri)).toMatchObject({ thread: { turns: 4 } });
    },
  );

  verifies(
    'resources:watched',
    'who watches the list, the usage or the log hears of it',
    async () => {
      const owner = await connect(era);
      const bob = await connect(era, bobsToken);
      await owner.watch(['exai://threads', 'exai://usage', 'exai://logs']);
      await bob.watch(['exai://threads', 'exai://usage', 'exai://logs']);
      await call(bob.client, 'chat', { prompt: 'Say exactly: Yes' });
      await bob.untilHeard('exai://threads');
      await bob.untilHeard('exai://usage');
      await owner.untilHeard('exai://usage');
      expect(owner.heard).not.toContain('exai://threads');
      // A refused call is a line of the log.
      await call(owner.client, 'threads', { action: 'show', id: 'none' });
      await owner.untilHeard('exai://logs');
      expect(bob.heard).not.toContain('exai://logs');
      const { contents } = await owner.client.readResource({ uri: 'exai://logs' });
      expect(JSON.stringify(contents)).toContain('call_failed');
    },
  );
});
