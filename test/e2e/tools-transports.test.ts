import { afterAll, beforeAll, describe } from 'vitest';
import {
  TOOL_TRANSPORTS,
  openClient,
  type ToolClient,
  type ToolTransport,
} from '../cases/tools-client.ts';
import { prepareFolders } from '../cases/tools-expert-files.ts';
import { TOOL_CASES } from '../cases/tools-suite.ts';
import { openToolsHarness, type ToolsHarness } from '../cases/tools-harness.ts';
import { verifies } from '../verifies.ts';

let harness: ToolsHarness;
const clients = new Map<ToolTransport, ToolClient>();

beforeAll(async () => {
  harness = await openToolsHarness();
  prepareFolders(harness);
  await Promise.all(
    TOOL_TRANSPORTS.map(async (door) => void clients.set(door, await openClient(harness, door))),
  );
});

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await harness.close();
});

function clientBy(door: ToolTransport): ToolClient {
  const client = clients.get(door);
  if (!client) throw new Error(`Nobody came by ${door}`);
  return client;
}

describe.concurrent.each(TOOL_TRANSPORTS)('over %s', (door) => {
  for (const { of, says, run } of TOOL_CASES) {
    verifies(of, `over ${door}: ${says}`, () => run(clientBy(door)));
  }
});
