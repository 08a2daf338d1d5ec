import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect } from 'vitest';
import { openClient, TOOL_TRANSPORTS, type Beginning } from '../cases/tools-client.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { verifies } from '../verifies.ts';
import { BIN, finished } from './exai.ts';

let harness: ToolsHarness;
beforeAll(async () => {
  harness = await openToolsHarness({ settings: { shutdown: { drainMs: 600_000 } } });
});
afterAll(() => harness.close());

const INTERRUPTED = -31067;
const INTERRUPTED_EXIT = 21;

/** The class of what came of a call: over HTTP its request has an error in place of a result. */
function classOf({ called }: Beginning): Promise<string | undefined> {
  return called.then(
    (answer) => answer?.envelope.error_class,
    (thrown: unknown) => (String(thrown).includes(String(INTERRUPTED)) ? 'interrupted' : undefined),
  );
}

verifies(
  'daemon:interrupted',
  'exai stop --now interrupts calls on every transport, which are all answered, and says how many',
  async () => {
    const { emulator, home } = harness;
    for (const vendor of ['kimi', 'glm', 'openrouter'] as const)
      emulator.fault({ id: 'F5.silent', vendor, path: 'chat', times: 0 });
    const clients = await Promise.all(TOOL_TRANSPORTS.map((each) => openClient(harness, each)));
    const begun = clients.map((client, index) =>
      client.begin('chat', { prompt: `Are you there, number ${index}?` }),
    );
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, EXAI_HOME: home };
    const exai = (...args: string[]) =>
      finished(spawn(process.execPath, [BIN, ...args], { env: { ...env, EXAI_AUTOSTART: 'off' } }));
    const commandLine = exai('call', 'chat', 'prompt=Are you there?');
    const watcher = await openClient(harness, 'http modern');
    const running = async () => {
      const { content } = await watcher.call('status', {});
      return (content['load'] as { readonly running: number }).running;
    };
    // The calls of `status` and of the command line are among them.
    await expect.poll(running).toBe(TOOL_TRANSPORTS.length + 2);
    const stopped = exai('stop', '--now', '--json');
    expect(await Promise.all(begun.map(classOf))).toEqual(TOOL_TRANSPORTS.map(() => 'interrupted'));
    expect(await commandLine).toMatchObject({
      code: INTERRUPTED_EXIT,
      stderr: expect.stringContaining('The daemon stopped before this was answered') as string,
    });
    const { code, stdout } = await stopped;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      stopped: true,
      interrupted: TOOL_TRANSPORTS.length + 1,
    });
    await Promise.all([watcher, ...clients].map((client) => client.close()));
  },
);
