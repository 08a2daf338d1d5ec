import type { Victim } from './victim.ts';

/** A request for what belongs to somebody else. */
export interface Read {
  readonly name: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /**
   * `changes`: would change the thing; `same`: is answered so to everybody. The others are given to
   * their owner.
   */
  readonly is?: 'changes' | 'same';
}

export type Ids = Pick<Victim, 'thread' | 'doneJob' | 'runningJob' | 'result' | 'file'>;

const STEP = { step: 'Look', step_number: 1, total_steps: 2, next_step_required: true };
const FINDINGS = { ...STEP, findings: 'none' };

/** By id: the answer to the id of somebody else has to be that to an id that nobody has. */
export function readsById({ thread, doneJob, runningJob, result, file }: Ids): readonly Read[] {
  const changes: readonly Read[] = [
    call('threads', { action: 'fork', id: thread }),
    call('threads', { action: 'fork', id: thread, turn: 1 }),
    call('threads', { action: 'rename', id: thread, title: 'Mine' }),
    call('threads', { action: 'delete', id: thread }),
    call('chat', { prompt: 'Say exactly: go on', continuation_id: thread }),
    call('file_chat', { prompt: 'What is it?', files: [{ file_id: file }] }),
    call('file_chat', { prompt: 'What is it?', files: [`exai://files/${file}`] }),
    call('file_chat', { prompt: 'What is it?', files: [{ uri: `exai://files/${file}` }] }),
    call('file_chat', { prompt: 'What is it?', continuation_id: thread }),
    call('chat', { prompt: 'What is it?', files: [{ file_id: file }] }),
    call('planner', { ...STEP, continuation_id: thread }),
    call('debug', { ...FINDINGS, continuation_id: thread }),
    call('thinkdeep', { ...FINDINGS, continuation_id: thread }),
    call('consensus', {
      ...FINDINGS,
      models: [{ model: 'kimi-k2.6' }, { model: 'glm-4.6' }],
      continuation_id: thread,
    }),
    call('job_cancel', { job_id: runningJob }),
    call('job_cancel', { job_id: doneJob }),
    { name: 'tasks/cancel', method: 'tasks/cancel', params: { taskId: runningJob } },
    {
      name: 'tasks/update',
      method: 'tasks/update',
      params: { taskId: runningJob, inputResponses: {} },
    },
  ];
  const same: readonly Read[] = [
    resource(`exai://threads/${thread}%20`),
    prompt('chat', { prompt: 'Go on', continuation_id: thread }),
  ];
  return [
    call('threads', { action: 'show', id: thread }),
    call('threads', { action: 'show', id: thread, limit: 100, max_chars: 8_000_000 }),
    call('threads', { action: 'show', id: thread, before: 2 }),
    call('job_result', { job_id: doneJob }),
    call('job_result', { job_id: `exai://jobs/${doneJob}` }),
    call('job_result', { job_id: runningJob, wait_seconds: 0 }),
    call('read_result', { id: result }),
    call('read_result', { id: result, offset: 10, max_chars: 1_000 }),
    call('read_result', { id: `exai://results/${result}` }),
    resource(`exai://threads/${thread}`),
    resource(`exai://jobs/${doneJob}`),
    resource(`exai://jobs/${runningJob}`),
    resource(`exai://results/${result}`),
    resource(`exai://files/${file}`),
    complete('exai://files/{id}', file.slice(0, -4)),
    { name: 'tasks/get of one that is over', method: 'tasks/get', params: { taskId: doneJob } },
    { name: 'tasks/get of one that runs', method: 'tasks/get', params: { taskId: runningJob } },
    prompt('continue', { continuation_id: thread }),
    complete('exai://threads/{id}', thread.slice(0, -4)),
    complete('exai://jobs/{id}', doneJob.slice(0, -4)),
    ...changes.map((read): Read => ({ ...read, is: 'changes' })),
    ...same.map((read): Read => ({ ...read, is: 'same' })),
  ];
}

/** Lists and reports: nothing of somebody else stands in them. */
export function readsOfAll({ thread, doneJob }: Ids, marker: string): readonly Read[] {
  return [
    call('threads', { action: 'list' }),
    call('threads', { action: 'list', limit: 100 }),
    call('threads', { action: 'list', before: `${Number.MAX_SAFE_INTEGER}`.slice(0, 13) }),
    call('threads', { action: 'list', before: `9999999999999.${thread}` }),
    call('threads', { action: 'search', query: marker }),
    call('threads', { action: 'search', query: 'exactly thread' }),
    call('threads', { action: 'search', query: '*' }),
    call('threads', { action: 'search', query: `" OR principal:local OR "` }),
    call('threads', { action: 'search', query: `%' OR '1'='1` }),
    call('job_list', {}),
    call('job_list', { status: 'open', limit: 100 }),
    call('job_list', { before: doneJob }),
    call('job_result', {}),
    call('activity', { source: 'activity', lines: 5_000 }),
    call('activity', { source: 'activity', structured: true }),
    call('activity', { source: 'server', lines: 5_000 }),
    call('activity', { source: 'auto', filter: marker }),
    call('status', {}),
    call('health', {}),
    call('listmodels', {}),
    call('route', { tool: 'chat', arguments: { prompt: 'Hello' } }),
    resource('exai://threads'),
    resource('exai://jobs'),
    resource('exai://files'),
    resource('exai://usage'),
    resource('exai://logs'),
    resource('exai://status'),
    resource('exai://tools'),
    { name: 'resources/list', method: 'resources/list', params: {} },
    { name: 'prompts/list', method: 'prompts/list', params: {} },
    complete('exai://threads/{id}', ''),
    complete('exai://threads/{id}', 'conv_'),
    complete('exai://jobs/{id}', ''),
    complete('exai://results/{id}', ''),
    complete('exai://files/{id}', ''),
    complete('exai://files/{id}', 'note'),
    completePrompt('continue', 'continuation_id', ''),
    completePrompt('chat', 'continuation_id', ''),
    prompt('continue', {}),
    prompt('diagnose', {}),
  ];
}

function call(tool: string, args: Readonly<Record<string, unknown>>): Read {
  const about = JSON.stringify(args).slice(0, 60);
  return {
    name: `${tool} ${about}`,
    method: 'tools/call',
    params: { name: tool, arguments: args },
  };
}

function resource(uri: string): Read {
  return { name: `read ${uri}`, method: 'resources/read', params: { uri } };
}

function prompt(name: string, args: Readonly<Record<string, string>>): Read {
  return { name: `prompt ${name}`, method: 'prompts/get', params: { name, arguments: args } };
}

function complete(uri: string, value: string): Read {
  const params = { ref: { type: 'ref/resource', uri }, argument: { name: 'id', value } };
  return { name: `complete ${uri} from "${value}"`, method: 'completion/complete', params };
}

function completePrompt(name: string, argument: string, value: string): Read {
  const params = { ref: { type: 'ref/prompt', name }, argument: { name: argument, value } };
  return { name: `complete ${argument} of ${name}`, method: 'completion/complete', params };
}
