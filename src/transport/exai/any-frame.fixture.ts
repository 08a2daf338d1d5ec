import type { Draw } from '../ws/draw.fixture.ts';

const OPS = 'call_tool tool_call cancel list_tools health ping hello rotate_token bye'.split(' ');
const NAMES = 'request_id name arguments args old new token op __proto__ constructor x'.split(' ');

/** A frame that may be anything: whole, cut, of wrong types, with names that every object has. */
export function anyFrame(draw: Draw): string {
  const members = [`"op":${draw(8) === 0 ? anyValue(draw, 2) : `"${OPS[draw(OPS.length)]}"`}`];
  for (let count = draw(6); count > 0; count--) {
    members.push(`"${NAMES[draw(NAMES.length)]}":${anyValue(draw, 3)}`);
  }
  if (draw(2) === 0) members.push(`"request_id":${draw(20)}`, '"name":"status"');
  const text = `{${members.join(',')}}`;
  if (draw(10) === 0) return text.slice(0, draw(text.length));
  return draw(20) === 0 ? anyValue(draw, 3) : text;
}

export function anyValue(draw: Draw, depth: number): string {
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
