import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** The output of a fake system program. */
export interface FakeProgramOutput {
  readonly code?: number;
  readonly stdout?: string;
  readonly stderr?: string;
}

export interface FakePrograms {
  /** A folder for PATH with real programs whose output the test computes. */
  readonly path: string;
  /** Each run as a command line. */
  readonly calls: string[];
  /** The environment variables of each run. */
  readonly variables: string[][];
}

/** Sends its arguments to the test and prints the response. */
const PROGRAM = `#!${process.execPath}
const { basename, join } = require('node:path');
const socket = require('node:net').connect(join(__dirname, 'mind.sock'));
const run = { name: basename(__filename), args: process.argv.slice(2), names: Object.keys(process.env) };
let text = '';
socket.on('data', (chunk) => (text += chunk));
socket.on('end', () => {
  const { code = 0, stdout = '', stderr = '' } = JSON.parse(text);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = code;
});
socket.write(JSON.stringify(run) + '\\n');
`;

export async function fakePrograms(
  names: readonly string[],
  mind: (name: string, args: readonly string[]) => FakeProgramOutput | Promise<FakeProgramOutput>,
): Promise<FakePrograms> {
  const path = mkdtempSync(join(tmpdir(), 'exai-programs-'));
  const calls: string[] = [];
  const variables: string[][] = [];
  for (const name of names) {
    writeFileSync(join(path, name), PROGRAM);
    chmodSync(join(path, name), 0o755);
  }
  const think = async (name: string, args: readonly string[]): Promise<FakeProgramOutput> => {
    try {
      return await mind(name, args);
    } catch (thrown) {
      return { code: 99, stderr: String(thrown) };
    }
  };
  const server = createServer((socket) => {
    let text = '';
    socket.on('data', (chunk) => {
      text += String(chunk);
      if (!text.endsWith('\n')) return;
      const run = JSON.parse(text) as { name: string; args: string[]; names: string[] };
      calls.push([run.name, ...run.args].join(' '));
      variables.push(run.names);
      void think(run.name, run.args).then((output) => socket.end(JSON.stringify(output)));
    });
  });
  server.listen(join(path, 'mind.sock'));
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    await once(server, 'close');
    rmSync(path, { recursive: true, force: true });
  });
  return { path, calls, variables };
}
