import { afterAll, beforeAll, describe } from 'vitest';
import { DOORS, openClient, type ToolClient, type ToolDoor } from '../cases/tools-client.ts';
import { prepareFolders } from '../cases/tools-said.ts';
import { TOOL_CASES } from '../cases/tools-suite.ts';
import { openToolsWorld, type ToolsWorld } from '../cases/tools-world.ts';
import { verifies } from '../verifies.ts';

let world: ToolsWorld;
const clients = new Map<ToolDoor, ToolClient>();

beforeAll(async () => {
  world = await openToolsWorld();
  prepareFolders(world);
  await Promise.all(
    DOORS.map(async (door) => void clients.set(door, await openClient(world, door))),
  );
});

afterAll(async () => {
  await Promise.all([...clients.values()].map((client) => client.close()));
  await world.close();
});

function clientBy(door: ToolDoor): ToolClient {
  const client = clients.get(door);
  if (!client) throw new Error(`Nobody came by ${door}`);
  return client;
}

describe.concurrent.each(DOORS)('over %s', (door) => {
  for (const { of, says, run } of TOOL_CASES) {
    verifies(of, `over ${door}: ${says}`, () => run(clientBy(door)));
  }
});
