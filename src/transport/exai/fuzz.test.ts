import { expect } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { createDraw } from '../ws/draw.fixture.ts';
import { anyFrame } from './any-frame.fixture.ts';
import { welcomedExai, settled } from './fake-session.fixture.ts';

const FRAMES = 5000;
const SEED = 20_261_019;

const KNOWN = new Set(
  'error progress call_tool_ack call_tool_res cancelled list_tools_res health_res pong rotate_token_res'.split(
    ' ',
  ),
);

verifies('door:fuzz', 'frames made of anything are answered, and every call once', async () => {
  const { say, take, started, clock, state } = await welcomedExai();
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
