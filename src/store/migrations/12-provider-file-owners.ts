import type { Migration } from './migrate.ts';

/** Which principals have uploaded a content to a provider; a provider's file is shared by them. */
export const providerFileOwners: Migration = {
  version: 12,
  name: 'provider file owners',
  up: ({ int }) => [
    `create table provider_file_owners (
      sha256 text not null,
      provider text not null,
      account text not null,
      purpose text not null,
      principal text not null,
      name text not null,
      mime text not null,
      bytes ${int} not null,
      created_at ${int} not null,
      used_at ${int} not null,
      primary key (sha256, provider, account, purpose, principal))`,
    'create index provider_files_by_owner on provider_file_owners (principal, provider, account)',
    'create index provider_files_by_id on provider_files (provider, account, provider_file_id)',
  ],
};
