import { readAdd, readCoverage, readExplain, readRemove } from '#core/auth/access-admin.schema.ts';
import { rowTextsOf } from '#calls/agents/agent-rows.ts';
import { ACCESS_METHODS, type AccessAdmin } from '#core/auth/access-admin.ts';
import { createAccessAdmin } from '../admin/access-admin.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type AccessContext = Pick<
  FeatureContext,
  | 'loaded'
  | 'store'
  | 'authenticator'
  | 'registry'
  | 'content'
  | 'calls'
  | 'newId'
  | 'random'
  | 'clock'
  | 'log'
>;

/** The tokens of clients and what their scopes allow, for the owner. */
export function accessFeature(context: AccessContext): Feature {
  const { store, authenticator, registry, content, calls } = context;
  const access = createAccessAdmin({
    ...context,
    clients: store.clients,
    revoke: (id) => authenticator.revoke(id),
    decide: (caller, tool, args) => calls.decide(caller, tool, args),
    agents: () => rowTextsOf(context.loaded.config.agents),
    find: (tool) => calls.find(tool) ?? content.operation(tool)?.tool,
    tools: () => [...registry.all(), ...content.operations()],
  });
  return { name: 'access', adminMethods: accessMethods(access) };
}

export function accessMethods(access: AccessAdmin): NonNullable<Feature['adminMethods']> {
  return {
    [ACCESS_METHODS.explain]: async (params) => access.explain(readExplain(params)),
    [ACCESS_METHODS.coverage]: async (params) => access.coverage(readCoverage(params)),
    [ACCESS_METHODS.list]: async () => ({ clients: await access.list() }),
    [ACCESS_METHODS.add]: async (params) => access.add(readAdd(params)),
    [ACCESS_METHODS.remove]: async (params) => access.remove(readRemove(params)),
  };
}
