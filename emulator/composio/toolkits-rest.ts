import type { Ask } from '../vendor.ts';
import { page } from './page.ts';
import { accountOf, type Account, type ComposioState, type Session } from './state.ts';
import { toWireTool, type Toolkit } from './toolkits.ts';

const names = (given: string | null): readonly string[] | undefined =>
  given === null || given === ''
    ? undefined
    : given.split(',').map((one) => one.trim().toLowerCase());

/** `GET /tools`. */
export function listTools(state: ComposioState, { query }: Ask): object {
  const catalogue = state.catalogue();
  const toolkits = names(query.get('toolkit_slug'));
  const slugs = names(query.get('tool_slugs'));
  const search = query.get('search')?.toLowerCase();
  const found = catalogue.tools.filter(
    (tool) =>
      (toolkits?.includes(tool.toolkit) ?? true) &&
      (slugs?.includes(tool.slug.toLowerCase()) ?? true) &&
      (query.get('important') !== 'true' || (tool.tags ?? []).includes('important')) &&
      (search === undefined || `${tool.slug} ${tool.description}`.toLowerCase().includes(search)),
  );
  return page(
    found.map((tool) => toWireTool(tool, catalogue)),
    query,
  );
}

/** `GET …/session/{id}/toolkits`. */
export function listSessionToolkits(state: ComposioState, session: Session, ask: Ask): object {
  const { query } = ask;
  const wanted = names(query.getAll('toolkits').join(','));
  const items = state
    .catalogue()
    .toolkits.filter(({ slug }) => wanted?.includes(slug) ?? true)
    .map((toolkit) => ({
      name: toolkit.name,
      slug: toolkit.slug,
      enabled:
        (session.enabled?.includes(toolkit.slug) ?? true) &&
        !session.disabled.includes(toolkit.slug),
      is_no_auth: toolkit.noAuth,
      composio_managed_auth_schemes: toolkit.noAuth ? [] : ['OAUTH2'],
      meta: metaOf(toolkit),
      connected_account: connected(accountOf(state, session.userId, toolkit.slug)),
    }))
    .filter(
      (one) => query.get('is_connected') !== 'true' || one.connected_account?.status === 'ACTIVE',
    );
  return page(items, query);
}

const metaOf = ({ slug, about }: Toolkit): object => ({
  logo: `https://logos.composio.dev/api/${slug}`,
  description: about,
});

const connected = (account: Account | undefined) =>
  account
    ? {
        id: account.id,
        user_id: account.userId,
        status: account.status,
        created_at: account.createdAt,
        auth_config: {
          id: `ac_${account.toolkit}`,
          auth_scheme: 'OAUTH2',
          is_composio_managed: true,
        },
      }
    : null;

/** `GET /toolkits`. */
export function listToolkits(state: ComposioState, { query }: Ask): object {
  const catalogue = state.catalogue();
  const items = catalogue.toolkits.map((toolkit) => ({
    name: toolkit.name,
    slug: toolkit.slug,
    auth_schemes: toolkit.noAuth ? [] : ['OAUTH2'],
    composio_managed_auth_schemes: toolkit.noAuth ? [] : ['OAUTH2'],
    is_local_toolkit: false,
    no_auth: toolkit.noAuth,
    deprecated: { toolkitId: toolkit.slug },
    meta: {
      ...metaOf(toolkit),
      created_at: '2025-09-01T00:00:00.000Z',
      updated_at: '2026-03-16T00:00:00.000Z',
      categories: [],
      triggers_count: 0,
      tools_count: catalogue.tools.filter((tool) => tool.toolkit === toolkit.slug).length,
      version: '20260316_00',
    },
  }));
  return page(items, query);
}

/** `GET /connected_accounts/{id}`. */
export const toWireAccount = (account: Account): object => ({
  id: account.id,
  user_id: account.userId,
  toolkit: { slug: account.toolkit },
  auth_config: {
    id: `ac_${account.toolkit}`,
    auth_scheme: 'OAUTH2',
    is_composio_managed: true,
    is_disabled: false,
  },
  status: account.status,
  status_reason: null,
  is_disabled: false,
  created_at: account.createdAt,
  updated_at: account.createdAt,
  state: { authScheme: 'OAUTH2', val: { status: account.status } },
  data: {},
  params: {},
});
