import { expect, test } from 'vitest';
import { jobWords } from './job-words.ts';

test.each([
  [
    'chat takes longer, so it goes on as job job_7. Nothing is lost: call job_result with {"job_id": "job_7"} for the answer; it waits a while, and can be called again. job_cancel stops it.',
    'chat takes longer, so it goes on as job job_7. Nothing is lost: exai jobs result job_7 --wait. exai jobs cancel stops it.',
  ],
  [
    '"uri" is no id of a job: "x". It is job_ and 22 letters and digits, as in the answer that was handed off. job_result without job_id lists yours.',
    'This is no id of a job: "x". It is job_ and 22 letters and digits, as in the answer that was handed off. exai jobs lists yours.',
  ],
  [
    'There is no job job_7, or none of yours. job_list shows yours.',
    'There is no job job_7, or none of yours. exai jobs lists yours.',
  ],
  [
    'This is a job: job_result with {"job_id": "job_7"} has its answer.',
    'This is a job: exai jobs result job_7 has its answer.',
  ],
  [
    'Next: read_result with {"id": "res_7", "offset": 60000}',
    'Next: exai results read res_7 --offset 60000',
  ],
  ['read_result with {"id": "res_7"} reads it.', 'exai results read res_7 reads it.'],
])('%j is said with commands', (sentence, words) => {
  expect(jobWords(sentence)).toBe(words);
});
