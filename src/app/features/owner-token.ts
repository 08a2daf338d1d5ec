import { generateOwnerToken } from '#config/secrets/owner-token.ts';
import { ROTATE_TOKEN_METHOD, type TokenRotated } from '#core/auth/owner-token.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

/** Replaces the owner's token without a restart of the daemon. */
export function ownerTokenFeature({
  authenticator,
  random,
}: Pick<FeatureContext, 'authenticator' | 'random'>): Feature {
  return {
    name: 'owner-token',
    adminMethods: {
      async [ROTATE_TOKEN_METHOD](params): Promise<TokenRotated> {
        const { now } = (params ?? {}) as { now?: unknown };
        const token = generateOwnerToken(random);
        const rotation = authenticator.replaceOwn(token, now === true ? 'at_once' : 'after_grace');
        return rotation.kept ? rotation : { ...rotation, token };
      },
    },
  };
}
