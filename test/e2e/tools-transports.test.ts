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
    TOOL_TRANSPORTS.map(
      async (transport) => void clients.set(transport, await openClient(harness, transport)),
    ),
  );
});

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await harness.close();
});

function clientBy(transport: ToolTransport): ToolClient {
  const client = clients.get(transport);
  if (!client) throw new Error(`Nobody came by ${transport}`);
  return client;
}

describe.concurrent.each(TOOL_TRANSPORTS)('over %s', (transport) => {
  for (const { of, says, run } of TOOL_CASES) {
    verifies(of, `over ${transport}: ${says}`, () => run(clientBy(transport)));
  }
});
