import type { Migration } from './migrate.ts';

/**
 * Answers of the Responses API. `chain_id` is the first response of a chain, so that retention can
 * keep or remove a chain as a whole. Large columns are last.
 */
export const storedResponses: Migration = {
  version: 8,
  name: 'responses',
  up: ({ int }) => [
    `create table responses (
      id text primary key,
      principal text not null,
      chain_id text not null,
      previous_id text,
      created_at ${int} not null,
      chars ${int} not null,
      input text not null,
      response text not null)`,
    'create index responses_by_chain on responses (chain_id, created_at)',
    'create index responses_by_principal on responses (principal)',
  ],
};
