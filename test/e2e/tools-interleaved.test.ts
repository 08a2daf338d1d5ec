import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';
import { TOOL_TRANSPORTS, openClient, type ToolClient } from '../cases/tools-client.ts';
import { anyOrder, CONNECTIONS, interleave, type StepCall } from '../cases/tools-interleaved.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import '../property-seed.ts';
import { verifies } from '../verifies.ts';

let harness: ToolsHarness;
beforeAll(async () => void (harness = await openToolsHarness()));
afterAll(() => harness.close());

// Those that read nothing of the machine.
const TOOLS = ['debug', 'analyze', 'thinkdeep', 'secaudit', 'testgen', 'docgen', 'tracer'];

verifies(
  'threads:own-findings',
  '50 workflows of 20 steps, interleaved at random over 8 connections by every transport and a restart, find what is theirs alone',
  async () => {
    let clients: readonly ToolClient[] = [];
    const connect = async () => {
      const transports = Array.from(
        { length: CONNECTIONS },
        (_, place) => TOOL_TRANSPORTS[place % TOOL_TRANSPORTS.length],
      );
      clients = await Promise.all(
        transports.map((transport) => openClient(harness, transport ?? 'exai')),
      );
    };
    const leave = () => Promise.all(clients.map((client) => client.close()));
    const connections = Array.from(
      { length: CONNECTIONS },
      (_, place): StepCall =>
        async (tool, args) => {
          const told = await clients[place]?.call(tool, { ...args, use_assistant_model: false });
          if (!told) throw new Error('Nobody is connected.');
          expect(told.envelope.error_class).toBeUndefined();
          return told;
        },
    );
    await connect();
    await fc.assert(
      fc.asyncProperty(anyOrder, async (order) => {
        await interleave(order, TOOLS, connections, async () => {
          await leave();
          await harness.restart();
          await connect();
        });
      }),
      { numRuns: 1, endOnFailure: true },
    );
    await leave();
    expect(harness.emulator.requests().filter(({ path }) => path.includes('chat'))).toEqual([]);
  },
  120_000,
);
