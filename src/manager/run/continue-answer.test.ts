import { describe, expect, test } from 'vitest';
import { continueFrom } from './continue-answer.ts';
import { asked, failing, GLM, KIMI, planned, runToEnd, setUp } from './run-plan.fixture.ts';
import { END, fullAnswer, textEvents, type Script } from './scripted.fixture.ts';

describe('an answer that broke off', () => {
  test('is continued from an anchor where the vendor has no prefix', () => {
    const begun = 'The quick brown fox jumps over the lazy ';
    const asked = continueFrom([], begun, { capabilities: [] });
    expect(asked.anchor).toBe('brown fox jumps over the lazy');
    expect(asked.messages.at(-1)?.content).toContain(`<last_words>${asked.anchor}</last_words>`);
    const short = continueFrom([], 'The', { capabilities: [] });
    expect(short.anchor).toBeUndefined();
    expect(continueFrom([], begun, { capabilities: ['prefix'] })).toEqual({
      messages: [{ role: 'assistant', content: begun }],
      continuation: 'prefix',
    });
  });

  test('a vendor that accepts a prefix and ignores it repeats nothing to the client', async () => {
    const whole = 'The quick brown fox jumps over the lazy dog.';
    for (const again of [
      whole,
      whole.slice(4),
      `Continuing from where I left off:\n\n${whole.slice(26)}`,
    ]) {
      const set = setUp({
        kimi: [[...textEvents(whole.slice(0, 30)), failing('network', 'Cut.')], fullAnswer(again)],
        candidates: [KIMI],
      });
      expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: whole });
      expect(set.heard.join('')).toBe(whole);
    }
  });

  test('a model that writes the answer again in other words has not continued it', async () => {
    const begun = 'A breaker counts failures. It opens when too many of them come';
    const other = 'A breaker counts failures. It opens when a limit is reached, and waits.';
    const set = setUp({
      kimi: [[...textEvents(begun), failing('quota', 'Cut.')]],
      glm: [fullAnswer(other)],
      candidates: [KIMI, GLM],
    });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({ is: 'failed', error: { class: 'interrupted' }, partial: begun });
    expect(set.heard.join('')).toBe(begun);
  });

  const NUMBERS = 'Numbers: 10, 11, 12';
  const OTHER_GLM = planned('glm', 'glm-4.7');
  const cutNumbers = [...textEvents(NUMBERS), failing('quota', 'Cut.')];

  test('two models of one provider that say nothing do not complete an answer', async () => {
    const set = setUp({
      kimi: [cutNumbers],
      glm: [END, END, END, END],
      candidates: [KIMI, GLM, OTHER_GLM],
    });
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
  });

  test('one model that says nothing twice does not complete an answer', async () => {
    const set = setUp({ kimi: [cutNumbers], glm: [END, END, END], candidates: [KIMI, GLM] });
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
  });

  /** The last word is held back, so models are asked to continue the text before it. */
  const TOLD = 'It counts failures. It opens after too many of';
  const SENTENCES = `${TOLD} them.`;
  const MORE = ' Then it waits. A probe closes it again.';
  const cutSentences = [...textEvents(SENTENCES), failing('network', 'Cut.')];
  const thought: Script = [{ type: 'reasoning', text: 'What comes next?' }, ...END];

  test.each([
    ['nothing', END],
    ['thinking', thought],
    ['white space', fullAnswer(' \n')],
    ['a repetition and white space', fullAnswer(`${TOLD}\n`)],
  ])(
    'a sentence that is over is not completed by %s from one provider while another is left',
    async (_, silent) => {
      const set = setUp({
        kimi: [cutSentences, silent],
        glm: [fullAnswer(` them.${MORE}`)],
        candidates: [KIMI, planned('kimi', 'kimi-k2.7-code'), GLM],
      });
      expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: SENTENCES + MORE });
      expect(set.heard.join('')).toBe(SENTENCES + MORE);
    },
  );

  test('two providers that have nothing to add complete it', async () => {
    const set = setUp({
      kimi: [cutSentences, END],
      glm: [END],
      candidates: [KIMI, GLM, planned('glm', 'glm-4.7')],
    });
    expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: SENTENCES });
    expect(asked(set)).toEqual([2, 1, 0]);
  });

  test('a model that has nothing to add counts as no failure of its breaker', async () => {
    const set = setUp({
      kimi: [[...textEvents(NUMBERS), failing('network', 'Cut.')]],
      glm: [END],
      candidates: [KIMI, GLM],
    });
    for (const calls of [3, 6]) {
      expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
      expect(asked(set)[1]).toBe(calls);
    }
    const { provider, model } = GLM;
    expect(set.breakers.look({ provider, model }).is).toBe('closed');
  });

  test('a model that repeats the anchor and stops completes it alone', async () => {
    const anchor = continueFrom([], TOLD, { capabilities: [] }).anchor ?? '';
    const set = setUp({
      glm: [cutSentences, fullAnswer(`${anchor}\n`)],
      candidates: [GLM, KIMI],
    });
    expect(await runToEnd(set)).toMatchObject({ is: 'answered', text: SENTENCES, finish: 'stop' });
    expect(asked(set)).toEqual([0, 2, 0]);
  });

  test('one model completes it where the others cannot be asked', async () => {
    const set = setUp({
      kimi: [cutSentences, END],
      glm: [[failing('auth', 'No.')]],
      candidates: [KIMI, GLM],
    });
    const ran = await runToEnd(set);
    expect(ran).toMatchObject({ is: 'answered', text: SENTENCES, finish: 'stop' });
    expect(ran.notices).toMatchObject([{ code: 'answer_looks_complete' }]);
  });

  test('thinking alone completes nothing', async () => {
    const set = setUp({ kimi: [cutSentences, thought], glm: [thought], candidates: [KIMI, GLM] });
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
  });

  test('a text that shows that more follows is not completed by silence', async () => {
    const set = setUp({
      kimi: [[...textEvents('Numbers: 10, 11,'), failing('quota', 'Cut.')]],
      glm: Array.from({ length: 9 }, () => END),
      candidates: [KIMI, GLM, OTHER_GLM],
    });
    expect(await runToEnd(set)).toMatchObject({ is: 'failed', error: { class: 'interrupted' } });
  });
});
