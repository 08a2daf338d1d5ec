import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAT, openai, post } from '../e2e/gateway-post.ts';
import { overHttp } from '../e2e/matrix/http-peer.ts';
import { createPeer, type Peer } from '../e2e/matrix/peer.ts';
import { overSocket } from '../e2e/matrix/socket-peer.ts';
import { overWs } from '../e2e/matrix/ws-peer.ts';
import { get } from '../http-get.ts';
import { envelopeOf } from '../read-envelope.ts';
import { verifies } from '../verifies.ts';
import { readsById, readsOfAll, type Ids, type Read } from './isolation/reads.ts';
import { tryWithin, unknownSession } from './isolation/sessions.ts';
import { forgedStates } from './isolation/states.ts';
import { createVictim, unknownLike, type Victim } from './isolation/victim.ts';
import { openAttackHarness, OWNER_TOKEN, type AttackHarness } from './attack-harness.ts';

const LEAST_TRIES = 575;
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

interface Attacker {
  readonly name: string;
  readonly token: string;
  readonly peer: Peer;
}

let harness: AttackHarness;
let victims: readonly Victim[] = [];
let attackers: readonly Attacker[] = [];
let aliceToken = '';
let tries = 0;

beforeAll(async () => {
  // A job that another provider answers would not stay under way.
  harness = await openAttackHarness({ config: { fallback: { hedge: 'off' } } });
  aliceToken = await harness.addClient('alice', ['*']);
  victims = [
    await createVictim(harness, 'local', OWNER_TOKEN),
    await createVictim(harness, 'alice', aliceToken),
  ];
  const scopes = { bob: ['*'], reader: ['read:*'] };
  attackers = await Promise.all(
    Object.entries(scopes).map(async ([name, names]) => {
      const token = await harness.addClient(name, names);
      const peer = await createPeer('modern', overWs(harness.url, token), { capabilities: TASKS });
      return { name, token, peer };
    }),
  );
});
afterAll(async () => {
  for (const { peer } of attackers) await peer.vanish();
  for (const victim of victims) await victim.close();
  await harness?.close();
});

async function told({ peer }: Pick<Attacker, 'peer'>, { method, params }: Read): Promise<string> {
  const { result, error } = await peer.request(method, params);
  return JSON.stringify(result ?? error);
}

/** What stands in an answer of what is only the victim's. */
function leakIn(text: string, victim: Victim, given: Ids | undefined): string | undefined {
  const { marker, thread, doneJob, runningJob, result, file, session } = victim;
  const secrets = [marker, session, ...(given ? [] : [thread, doneJob, runningJob, result, file])];
  return secrets.find((secret) => text.includes(secret));
}

function likeness(text: string, ids: Ids): string {
  let alike = text.replaceAll(/req_[0-9a-z]+/g, 'req');
  for (const [kind, id] of Object.entries(ids)) alike = alike.replaceAll(id, kind);
  return alike;
}

verifies(
  'security:isolation',
  'the id of somebody else is answered as one that nobody has',
  async () => {
    const leaks: unknown[] = [];
    for (const victim of victims) {
      const { thread, doneJob, runningJob, result, file } = victim;
      const own: Ids = { thread, doneJob, runningJob, result, file };
      const none: Ids = {
        thread: unknownLike(thread),
        doneJob: unknownLike(doneJob),
        runningJob: unknownLike(runningJob),
        result: unknownLike(result),
        file: unknownLike(file),
      };
      const [real, unknown] = [readsById(own), readsById(none)];
      for (const attacker of attackers) {
        for (const [index, read] of real.entries()) {
          tries += 1;
          const about = `${attacker.name}, ${victim.name}: ${read.name}`;
          const text = await told(attacker, read);
          const other = await told(attacker, unknown[index] ?? read);
          const leak = leakIn(text, victim, own);
          if (leak !== undefined) leaks.push([about, leak, text]);
          const [one, two] = [likeness(text, own), likeness(other, none)];
          if (one !== two) leaks.push([about, one, two]);
        }
      }
    }
    expect(leaks).toEqual([]);
  },
);

verifies('security:isolation', 'no list, report or completion has anything of others', async () => {
  const leaks: unknown[] = [];
  for (const victim of victims) {
    for (const attacker of attackers) {
      for (const read of readsOfAll(victim, victim.marker)) {
        tries += 1;
        const text = await told(attacker, read);
        // What was asked for by name may be repeated.
        const given = JSON.stringify(read.params);
        const isGiven = [victim.marker, victim.thread, victim.doneJob].some((id) =>
          given.includes(id),
        );
        const leak = isGiven ? undefined : leakIn(text, victim, undefined);
        if (leak !== undefined) leaks.push([attacker.name, read.name, leak, text]);
        if (isGiven && text.includes('"role"')) leaks.push([attacker.name, read.name, text]);
      }
    }
  }
  expect(leaks).toEqual([]);
});

verifies('security:isolation', 'what others spend is not counted for a client', async () => {
  for (const { name, peer } of attackers) {
    tries += 1;
    const { result = {} } = await peer.request('resources/read', { uri: 'exai://usage' });
    const [{ text }] = result['contents'] as [{ text: string }];
    expect([name, JSON.parse(text)]).toMatchObject([
      name,
      { of: 'you', month: { requests: 0, input: 0, cost_usd: 0, models: [] } },
    ]);
  }
});

verifies('security:isolation', 'a stored response belongs to who asked for it', async () => {
  const at = `${harness.url}/v1/responses`;
  const ask = (token: string, body: object) =>
    post(at, { body: JSON.stringify(body), headers: { authorization: `Bearer ${token}` } });
  const question = { input: 'Say exactly: Markerresponse7c41' };
  for (const token of [OWNER_TOKEN, aliceToken]) {
    const { id } = JSON.parse((await ask(token, question)).text) as { id: string };
    const ids = [id, unknownLike(id)];
    for (const attacker of attackers) {
      const headers = { authorization: `Bearer ${attacker.token}` };
      const reach = async (target: string) => {
        const item = { type: 'item_reference', id: `msg_${target.slice(5)}_0` };
        const answers = [
          await post(`${at}/${target}`, { method: 'GET', headers }),
          await post(`${at}/${target}`, { method: 'DELETE', headers }),
          await post(`${at}/${target}/input_items`, { method: 'GET', headers }),
          await post(`${at}/${target}/cancel`, { headers }),
          await ask(attacker.token, { previous_response_id: target, input: 'x' }),
          await ask(attacker.token, { input: [item, { role: 'user', content: 'x' }] }),
          await post(`${at}/input_tokens`, {
            body: JSON.stringify({ previous_response_id: target, input: 'x' }),
            headers,
          }),
        ];
        tries += answers.length;
        return answers.map(({ status, text }) => [
          status,
          text.replaceAll(/req_[0-9a-z]+/g, 'req').replaceAll(target.slice(5), 'id'),
        ]);
      };
      const [real, unknown] = [await reach(ids[0] ?? ''), await reach(ids[1] ?? '')];
      expect([attacker.name, real]).toEqual([attacker.name, unknown]);
      expect(JSON.stringify(real)).not.toContain('Markerresponse');
    }
    const own = await post(`${at}/${id}`, {
      method: 'GET',
      headers: { authorization: `Bearer ${token}` },
    });
    expect(own.status).toBe(200);
  }
});

test('what is refused to others is given to whom it belongs', async () => {
  const [, alice] = victims;
  const [bob] = attackers;
  if (!alice || !bob) throw new Error('Nobody is there.');
  const peer = await createPeer('modern', overWs(harness.url, aliceToken), { capabilities: TASKS });
  for (const read of readsById(alice).filter(({ is }) => is === undefined)) {
    const [own, others] = [await told({ peer }, read), await told(bob, read)];
    expect([read.name, likeness(own, alice)]).not.toEqual([read.name, likeness(others, alice)]);
    expect([read.name, own]).toEqual([read.name, expect.not.stringContaining('error_class')]);
  }
  await peer.vanish();
});

verifies('security:isolation', 'a session belongs to who opened it', async () => {
  for (const victim of victims) {
    for (const { name, token } of attackers) {
      const real = await tryWithin(harness.url, token, victim.session);
      const unknown = await tryWithin(harness.url, token, unknownSession());
      tries += real.length;
      expect([name, real]).toEqual([name, unknown]);
      expect(real.every(({ status }) => status === 404 || status === 400)).toBe(true);
      expect(real.filter(({ told: text }) => text.includes(victim.marker))).toEqual([]);
    }
    expect(await victim.ping()).toBe(200);
  }
});

verifies('security:isolation', 'nobody is told of changes to what is not theirs', async () => {
  const [bob] = attackers;
  const [, alice] = victims;
  if (!bob || !alice) throw new Error('Nobody is there.');
  const uris = [
    `exai://threads/${alice.thread}`,
    `exai://jobs/${alice.runningJob}`,
    `exai://results/${alice.result}`,
    'exai://threads',
    'exai://jobs',
    'exai://usage',
    'exai://logs',
  ];
  const peer = await createPeer('legacy', overWs(harness.url, bob.token));
  for (const uri of uris) {
    tries += 1;
    const answer = await peer.request('resources/subscribe', { uri });
    const unknown = await peer.request('resources/subscribe', { uri: uri.replace(/_.*/, '_0') });
    if (uri.includes('_')) expect(Object.keys(answer)).toEqual(Object.keys(unknown));
  }
  await alice.peer.request('resources/subscribe', { uri: uris[0] });
  const prompt = `Say exactly: ${alice.marker} again`;
  await alice.call('chat', { prompt, continuation_id: alice.thread });
  await alice.call('threads', { action: 'rename', id: alice.thread, title: alice.marker });
  const isUpdate = ({ method }: { method?: string }) =>
    method === 'notifications/resources/updated';
  await alice.peer.heard.next('an update', isUpdate);
  // Whatever was told at the same moment came before this answer.
  await peer.request('ping');
  const heard = peer.heard.all.filter(isUpdate);
  await peer.vanish();
  expect(heard).toEqual([]);
});

verifies('security:isolation', 'a sealed state is good for its own call alone', async () => {
  const asking = await harness.addClient('asking', ['ask:chat']);
  const args = { prompt: 'Say exactly: sealed' };
  const params = { name: 'chat', arguments: args };
  const peer = await createPeer('modern', overWs(harness.url, asking));
  const first = await peer.request('tools/call', params);
  const state = String(first.result?.['requestState']);
  const yes = { inputResponses: { 'exai.consent': { action: 'accept', content: {} } } };
  const before = harness.emulator.requests().length;
  for (const { name, state: requestState } of forgedStates(state, 'bob')) {
    tries += 1;
    const answer = await peer.request('tools/call', { ...params, ...yes, requestState });
    expect([name, JSON.stringify(answer)]).toEqual([name, expect.not.stringContaining('"sealed"')]);
  }
  const other = { name: 'chat', arguments: { prompt: 'Say exactly: another' } };
  const tools = { name: 'threads', arguments: { action: 'list' } };
  for (const changed of [other, tools]) {
    tries += 1;
    const answer = await peer.request('tools/call', { ...changed, ...yes, requestState: state });
    expect(JSON.stringify(answer)).not.toContain('"status":"success"');
  }
  const carol = await harness.addClient('asking2', ['ask:chat']);
  const thief = await createPeer('modern', overWs(harness.url, carol));
  tries += 1;
  const stolen = await thief.request('tools/call', { ...params, ...yes, requestState: state });
  expect(JSON.stringify(stolen)).not.toContain('"status":"success"');
  expect(harness.emulator.requests()).toHaveLength(before);
  const good = await peer.request('tools/call', { ...params, ...yes, requestState: state });
  expect(JSON.stringify(good)).toContain('"status":"success"');
  tries += 1;
  const again = await peer.request('tools/call', { ...params, ...yes, requestState: state });
  expect(JSON.stringify(again)).not.toContain('"status":"success"');
  await Promise.all([peer.vanish(), thief.vanish()]);
});

const OWN_METHODS: readonly (readonly [string, object])[] = [
  ['exai/access/list', {}],
  ['exai/access/add', { name: 'made', scopes: ['*'] }],
  ['exai/access/remove', { name: 'alice' }],
  ['exai/access/explain', { tool: 'chat', client: 'alice' }],
  ['exai/notices', {}],
  ['exai/retention/preview', {}],
  ['exai/retention/run', { at_ms: 0 }],
  ['exai/tools/all', {}],
];

verifies(
  'security:isolation',
  'methods of the owner are not for clients, by any transport',
  async () => {
    for (const { name, token } of attackers) {
      const wires = [
        overSocket(harness.socketPath, { cwd: '/', token }),
        overWs(harness.url, token),
        overHttp(harness.url, token),
      ];
      for (const wire of wires) {
        const peer = await createPeer('legacy', wire);
        for (const [method, params] of OWN_METHODS) {
          tries += 1;
          const { error } = await peer.request(method, params as Read['params']);
          expect([name, method, error?.code]).toEqual([name, method, -32_601]);
        }
        await peer.vanish();
      }
      const authorization = `Bearer ${token}`;
      for (const path of ['/metrics', '/healthz', '/readyz']) {
        tries += 1;
        const { status, body } = await get(`${harness.url}${path}`, { authorization });
        expect([path, status]).toEqual([path, path === '/metrics' ? 401 : 200]);
        expect(body).not.toMatch(/pid|store|process_/);
      }
    }
    const listed = await harness.exai('access', 'list', '--json');
    expect(listed.stdout).toContain('"alice"');
    expect(listed.stdout).not.toContain('"made"');
  },
);

verifies('access:decide', 'a narrow scope opens its own tool and no other', async () => {
  const narrow = await harness.addClient('narrow', ['version']);
  const peer = await createPeer('modern', overWs(harness.url, narrow));
  const owner = await createPeer('modern', overWs(harness.url, OWNER_TOKEN));
  const names = async (by: Peer) => {
    const { result = {} } = await by.request('tools/list');
    return (result['tools'] as readonly { name: string }[]).map(({ name }) => name);
  };
  // The search and the wrapper show and call what the client may use.
  expect(await names(peer)).toEqual(['call_tool', 'search_tools']);
  const before = harness.emulator.requests().length;
  const unlisted = ['health', 'activity', 'precommit', 'threads', 'job_list', 'job_cancel'];
  for (const tool of [...(await names(owner)), ...unlisted, 'gateway_chat', 'no_such_tool']) {
    if (tool === 'search_tools') continue;
    const wrapped = { name: tool, arguments: {} };
    for (const params of [
      wrapped,
      { name: 'call_tool', arguments: wrapped },
      { name: 'call_tool_write', arguments: wrapped },
      { name: 'mcp__exai__call_tool_write', arguments: { name: `mcp__exai__${tool}` } },
    ]) {
      tries += 1;
      const answer = JSON.stringify(await peer.request('tools/call', params));
      expect([params, answer]).toEqual([params, expect.not.stringContaining('"status":"success"')]);
    }
  }
  const found = await peer.request('tools/call', { name: 'search_tools', arguments: {} });
  expect(envelopeOf(found.result).content).toMatchObject({
    tools: [
      { name: 'call_tool' },
      { name: 'get_tool_schemas' },
      { name: 'multi_execute_tool' },
      { name: 'search_tools' },
      { name: 'version' },
    ],
  });
  for (const read of readsOfAll(victims[0] ?? ({} as Victim), 'x')) {
    if (read.method !== 'resources/read' && read.method !== 'prompts/get') continue;
    tries += 1;
    const answer = await peer.request(read.method, read.params);
    expect([read.name, answer.result]).toEqual([read.name, undefined]);
  }
  const { status } = await post(harness.url + CHAT, {
    body: openai(),
    headers: { authorization: `Bearer ${narrow}` },
  });
  expect(status).toBe(403);
  expect(harness.emulator.requests().slice(before)).toEqual([]);
  await Promise.all([peer.vanish(), owner.vanish()]);
});

test('all of them were tried, and everything of the others is as it was', async () => {
  for (const victim of victims) {
    const shown = await victim.call('threads', { action: 'show', id: victim.thread });
    expect(shown).toContain(victim.marker);
    expect(shown).not.toContain('Mine');
    const job = await victim.call('job_result', { job_id: victim.runningJob, wait_seconds: 0 });
    expect(job).not.toContain('cancelled');
  }
  console.log(`restricted token: ${tries} tries`);
  expect(tries).toBeGreaterThanOrEqual(LEAST_TRIES);
});
