import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createDraw, type Draw } from '../ws/draw.fixture.ts';
import { greetedExai, settled } from './fake-session.fixture.ts';

const FRAMES = 5000;
const SEED = 20_261_019;

const KNOWN = new Set(
  'error progress call_tool_ack call_tool_res cancelled list_tools_res health_res pong rotate_token_res'.split(
    ' ',
  ),
);

verifies('door:fuzz', 'frames made of anything are answered, and every call once', async () => {
  const { say, take, started, clock, state } = await greetedExai();
  const draw = createDraw(SEED);
  let begun = 0;
  let results = 0;
  for (let index = 0; index < FRAMES; index++) {
    const text = anyFrame(draw);
    const before = started.length;
    say(text);
    begun += started.length - before;
    if (draw(3) === 0) started[draw(started.length || 1)]?.answer();
    if (draw(50) === 0) clock.advance(draw(10_000));
    await settled();
    const sent = take();
    // The text is shown when nothing answered it.
    expect(sent.length > 0 || text).toBe(true);
    for (const { op, code, message } of sent) {
      expect(KNOWN).toContain(op);
      if (op !== 'error') continue;
      expect(code).toMatch(/^[A-Z_]+$/);
      expect(String(message).length).toBeLessThan(200);
    }
    results += sent.filter(
      ({ op, envelope }) =>
        op === 'call_tool_res' && (envelope as { req_id: string }).req_id !== '',
    ).length;
  }
  for (const call of started) call.answer();
  await settled();
  results += take().filter(({ op }) => op === 'call_tool_res').length;
  expect(begun).toBeGreaterThan(100);
  expect(results).toBe(begun);
  expect(state.closed).toBeUndefined();
});

const OPS = 'call_tool tool_call cancel list_tools health ping hello rotate_token bye'.split(' ');
const NAMES = 'request_id name arguments args old new token op __proto__ constructor x'.split(' ');

function anyFrame(draw: Draw): string {
  const members = [`"op":${draw(8) === 0 ? anyValue(draw, 2) : `"${OPS[draw(OPS.length)]}"`}`];
  for (let count = draw(6); count > 0; count--) {
    members.push(`"${NAMES[draw(NAMES.length)]}":${anyValue(draw, 3)}`);
  }
  if (draw(2) === 0) members.push(`"request_id":${draw(20)}`, '"name":"status"');
  const text = `{${members.join(',')}}`;
  if (draw(10) === 0) return text.slice(0, draw(text.length));
  return draw(20) === 0 ? anyValue(draw, 3) : text;
}

function anyValue(draw: Draw, depth: number): string {
  const kind = draw(depth > 0 ? 12 : 10);
  if (kind === 10) return `[${anyValue(draw, depth - 1)},${anyValue(draw, depth - 1)}]`;
  if (kind === 11) return `{"${NAMES[draw(NAMES.length)]}":${anyValue(draw, depth - 1)}}`;
  const plain = [
    'null',
    'true',
    String(draw(30)),
    '-1e400',
    '12345678901234567890',
    '0.5',
    '""',
    '"status"',
    JSON.stringify('x'.repeat(draw(2000))),
    String.raw`"\ud800\u0000\n"`,
  ];
  return draw(200) === 0 ? '['.repeat(5000) + ']'.repeat(5000) : (plain[kind] ?? 'null');
}
