import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifies } from '../verifies.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../otlp-receiver.ts';
import { startShared, type SharedDaemon } from './matrix/daemon.ts';
import { overHttp } from './matrix/http-peer.ts';
import { createPeer, type OpenWire, type Peer } from './matrix/peer.ts';
import { placesOf, summary, type Place } from './matrix/places.ts';
import { SCOPES, type McpTransport, type Principal, type Wanted } from './matrix/requirement.ts';
import { REQUIREMENTS } from './matrix/requirements.ts';
import { overShim } from './matrix/shim-peer.ts';
import { overSse } from './matrix/sse-peer.ts';
import { overWs } from './matrix/ws-peer.ts';

const PAGED = { tools: { pageSize: 3 } };
const PLACES = placesOf(REQUIREMENTS);

let traces: OtlpReceiver;
let main: SharedDaemon;
let paged: SharedDaemon;
const tokens = new Map<Principal, string>();

beforeAll(async () => {
  traces = await startOtlpReceiver();
  // Answers of any length come back as they are: pages have tests of their own.
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url, MAX_MCP_OUTPUT_TOKENS: '10000000' };
  [main, paged] = await Promise.all([startShared({ env }), startShared({ config: PAGED })]);
  for (const [name, scopes] of Object.entries(SCOPES)) {
    tokens.set(name as Principal, await main.addClient(name, scopes));
  }
});

afterAll(async () => {
  await Promise.all([main.stop(), paged.stop()]);
  await traces.close();
  console.log(summary(REQUIREMENTS, PLACES));
});

function wireTo(transport: McpTransport, { as = 'owner', of = main }: Wanted): OpenWire {
  const { url, home } = of === 'paged' ? paged : of;
  const token = tokens.get(as);
  switch (transport) {
    case 'http':
      return overHttp(url, token);
    case 'ws':
      return overWs(url, token);
    case 'shim':
      return overShim(home, url, token);
    case 'sse':
      return overSse(url, token);
  }
}

async function tryOut({ transport, era, requirement }: Place): Promise<'holds'> {
  const peers: Peer[] = [];
  const daemons: SharedDaemon[] = [];
  const startDaemon = async () => {
    const daemon = await startShared();
    daemons.push(daemon);
    return daemon;
  };
  const open = async (wanted: Wanted = {}) => {
    const peer = await createPeer(era, wireTo(wanted.by ?? transport, wanted), wanted);
    peers.push(peer);
    return peer;
  };
  try {
    const peer = await open(requirement.peer);
    await requirement.run(peer, { transport, era, daemon: main, traces, startDaemon, open });
    return 'holds';
  } finally {
    await Promise.all(peers.map((peer) => peer.close()));
    await Promise.all(daemons.map((daemon) => daemon.stop()));
  }
}

verifies('mcp:matrix', 'every requirement has an id and a sentence of its own', () => {
  for (const of of ['id', 'says'] as const) {
    const all = REQUIREMENTS.map((requirement) => requirement[of]);
    expect(new Set(all).size).toBe(all.length);
  }
});

describe('MCP', () => {
  const tried = PLACES.filter(({ leftOut }) => leftOut === undefined);
  const named = (runs: 'alone' | undefined) =>
    tried
      .filter(({ requirement }) => requirement.runs === runs)
      .map((place) => [nameOf(place), place] as const);

  test.concurrent.each(named(undefined))('%s', async (_name, place) => {
    expect(await tryOut(place)).toBe('holds');
  });

  test.each(named('alone'))('%s', async (_name, place) => {
    expect(await tryOut(place)).toBe('holds');
  });
});

function nameOf({ transport, era, requirement }: Place): string {
  return `over ${transport}, in the ${era} era: ${requirement.says} [mcp:matrix]`;
}
