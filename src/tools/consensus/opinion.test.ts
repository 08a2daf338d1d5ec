import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { POSITIONS, readOpinion } from './opinion.ts';

const WHOLE = {
  verdict: 'Do it.',
  position: 'agree',
  confidence: 0.75,
  reasons: ['It is simpler.'],
  risks: ['It is new.'],
};

describe('an opinion', () => {
  test.each([
    ['alone', JSON.stringify(WHOLE)],
    ['in a fence', `\`\`\`json\n${JSON.stringify(WHOLE, null, 2)}\n\`\`\``],
    ['with words around it', `Here it is: ${JSON.stringify(WHOLE)} I hope {that} helps.`],
    ['in an object of its own', JSON.stringify({ response: WHOLE })],
    ['with a comma too many', `${JSON.stringify(WHOLE).slice(0, -1)},}`],
    ['cut off after its fields', `${JSON.stringify(WHOLE).slice(0, -1)}, "change": "It is`],
  ])('is read as an opinion: %s', (_, said) => {
    expect(readOpinion(said)).toEqual(WHOLE);
  });

  test.each([
    ['prose', 'I would not do it.'],
    ['other JSON', 'Write {"verdict": 7, "summary": "x"} into the file.'],
    ['half a word of JSON', '{"verd'],
    ['a list', '["agree"]'],
  ])('is a verdict in prose when it is %s', (_, said) => {
    expect(readOpinion(said)).toEqual({
      verdict: said,
      position: 'unclear',
      reasons: [],
      risks: [],
    });
  });

  test('is nothing when it is blank', () => {
    expect(readOpinion(' \n\t')).toBeUndefined();
  });

  test.each([
    ['AGREE', 'agree'],
    ['strongly agree', 'agree'],
    ['yes', 'agree'],
    ['against', 'disagree'],
    ['partially agree', 'mixed'],
    ['agree, but only with tests', 'mixed'],
    ['neutral', 'mixed'],
    ['agree|disagree|mixed|unclear', 'unclear'],
    ['__proto__', 'unclear'],
    ['constructor', 'unclear'],
    [7, 'unclear'],
    [null, 'unclear'],
  ])('takes the position %j for %s', (position, meant) => {
    expect(readOpinion(JSON.stringify({ ...WHOLE, position }))?.position).toBe(meant);
  });

  test.each([
    [1, 1],
    [0, 0],
    ['0.5', 0.5],
    ['80%', 0.8],
    ['0.5%', 0.01],
    [85, 0.85],
    ['8/10', 0.8],
    ['high', 0.9],
    [101, undefined],
    [-1, undefined],
    ['11/10', undefined],
    ['1e9', undefined],
    ['toString', undefined],
    [{}, undefined],
  ])('takes the confidence %j for %s', (confidence, meant) => {
    expect(readOpinion(JSON.stringify({ ...WHOLE, confidence }))?.confidence).toBe(meant);
  });

  test('lists may be single, objects, long or nonsense', () => {
    const read = (reasons: unknown) => readOpinion(JSON.stringify({ ...WHOLE, reasons }))?.reasons;
    expect(read('One.')).toEqual(['One.']);
    expect(read([{ weight: 3, text: 'Two\n  lines.' }, 4, null, ' '])).toEqual(['Two lines.']);
    expect(read([{ severity: 'high', text: 'Three.' }])).toEqual(['high: Three.']);
    const many = Array.from({ length: 99 }, (_, at) => `${at}`);
    expect(read(many)).toEqual(many);
    expect(read(['x'.repeat(5000)])).toEqual(['x'.repeat(5000)]);
    expect(readOpinion('{"position": "agree"}')?.verdict).toBe('{"position": "agree"}');
  });

  test.each([
    ['prose', (text: string) => text],
    ['a field', (text: string) => JSON.stringify({ ...WHOLE, verdict: text })],
  ])('is kept whole, however long it is, as %s', (_, say) => {
    for (const chars of [20_001, 150_000]) {
      const text = `${'x'.repeat(chars - 4)} end`;
      expect(readOpinion(say(text))?.verdict === text).toBe(true);
    }
    const change = 'y'.repeat(30_000);
    expect(readOpinion(JSON.stringify({ ...WHOLE, change }))?.change === change).toBe(true);
    const huge = 'z'.repeat(5_000_000);
    expect(readOpinion(huge)?.verdict === huge).toBe(true);
  });

  test('is well formed, whatever it is', () => {
    expect(readOpinion('\ud800 alone')?.verdict).toBe('\ufffd alone');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.json().map((text) => `{"verdict":${text}}`),
        ),
        (said) => {
          const opinion = readOpinion(said);
          if (!opinion) return said.trim() === '';
          const { position, confidence = 0 } = opinion;
          return (
            opinion.verdict !== '' &&
            POSITIONS.includes(position) &&
            confidence >= 0 &&
            confidence <= 1
          );
        },
      ),
    );
  });
});
