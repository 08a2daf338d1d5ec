import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/fake-clock.ts';
import { makePdf } from '../../../test/make-pdf.ts';
import { verifies } from '../../../test/verifies.ts';
import { openIntake, type IntakeBench } from './intake.fixture.ts';
import { createKeepContents } from './keep-contents.ts';

let bench: IntakeBench;
beforeEach(async () => {
  bench = await openIntake();
});
afterEach(() => bench.close());

const PDF = makePdf('The pier.');
const keep = () => {
  let made = 0;
  return createKeepContents({
    files: bench.files,
    clock: createFakeClock(),
    newId: (kind) => `${kind}_${String(++made).padStart(22, '0')}`,
  });
};

verifies(
  'files:jobs',
  'contents become ids of stored files, which give the same text',
  async () => {
    const given = {
      filename: 'r.pdf',
      content: PDF.toString('base64'),
      mime_type: 'application/pdf',
    };
    const args = { prompt: 'q', files: ['a.txt', given, { name: 'n', text: 'x' }] };
    const kept = await keep()(args, 'local');
    expect(kept).toEqual({
      prompt: 'q',
      files: [
        'a.txt',
        { file_id: 'file_0000000000000000000001' },
        { file_id: 'file_0000000000000000000002' },
      ],
    });
    const direct = await bench.load([given]);
    const stored = await bench.load([{ file_id: 'file_0000000000000000000001' }]);
    expect(stored.texts[0]?.text).toBe(direct.texts[0]?.text);
  },
);

test('the arguments that a wrapper passes on are kept, too', async () => {
  const kept = await keep()(
    { name: 'chat', arguments: { images: ['data:text/plain,x'] } },
    'local',
  );
  expect(kept).toMatchObject({ arguments: { images: [{ file_id: expect.any(String) }] } });
});

test('arguments without contents are left alone, and so are invalid entries', async () => {
  expect(keep()({ prompt: 'q', files: ['a.txt'] }, 'local')).toBeUndefined();
  expect(keep()('text', 'local')).toBeUndefined();
  const invalid = { files: [{ filename: 'a', content: '*' }] };
  expect(await keep()(invalid, 'local')).toEqual(invalid);
});
