import { ERROR_SAMPLE } from './reason-samples.fixture.ts';
import { reason } from './reasons.ts';
import type { RoutingNoticeParams } from './routing-notices.ts';

const RESTING = reason('model_resting');
const LEFT_OUT = { which: 'oldest', overTokens: 900, window: { model: 'kimi-k3' } } as const;
const SUMMARISED = { name: 'a.md', tokens: 9000, summaryTokens: 90 } as const;

/** Parameters of each code of the manager's notices. */
export const ROUTING_NOTICE_SAMPLES: {
  readonly [Code in keyof RoutingNoticeParams]: readonly [
    RoutingNoticeParams[Code],
    ...RoutingNoticeParams[Code][],
  ];
} = {
  model_passed_over: [{ model: 'kimi-k3', reason: RESTING, instead: 'glm-5.3' }],
  quoted_instead: [
    { error: ERROR_SAMPLE },
    { error: { class: 'budget', message: 'Spent.', fixes: [] } },
  ],
  only_free_models: [{ spending: reason('shared_budget', { state: 'used_up' }) }],
  model_cannot_search: [{ model: 'kimi-k3' }],
  speed_against_thinking: [{ thinking: 'max' }],
  cost_unknown: [{ model: 'kimi-next' }],
  model_kept_at_vendor: [{ name: 'moonshotai/kimi-k3', model: 'kimi-k3', provider: 'kimi' }],
  model_always_thinks: [{ model: 'kimi-k3' }],
  model_never_thinks: [{ model: 'kimi-k3', thinking: 'high' }],
  unknown_thread_model: [{ model: 'kimi-k1' }],
  classifier_not_asked: [{ model: 'glm-4.7-flash' }],
  answer_looks_complete: [{ model: 'kimi-k3' }],
  duplicate_file_names: [
    { names: ['a.md'], more: 0 },
    { names: ['a.md', 'b.md'], more: 3 },
  ],
  messages_left_out: [
    { ...LEFT_OUT, messages: 1, tense: 'done' },
    { ...LEFT_OUT, messages: 12, tense: 'done' },
    { ...LEFT_OUT, messages: 12, which: 'earlier', tense: 'foreseen' },
    { messages: 2, which: 'oldest', overTokens: 0, window: { tokens: 8000 }, tense: 'done' },
  ],
  text_summarised: [
    { ...SUMMARISED, what: 'file', tense: 'done' },
    { ...SUMMARISED, what: 'question', tense: 'foreseen' },
    { ...SUMMARISED, what: 'result', tense: 'done' },
  ],
  middle_summarised: [{ name: 'a.md', tokens: 9000 }],
  summary_incomplete: [{ name: 'a.md', quoted: 1, parts: 3 }],
  prompt_does_not_fit: [{ reason: reason('request_too_long', { tokens: 9000, roomTokens: 100 }) }],
  files_not_read: [{ files: 1 }, { files: 2 }],
};
