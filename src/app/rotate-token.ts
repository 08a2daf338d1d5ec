import type { TokenDoorman } from '#calls/doorman.ts';
import { generateOwnerToken } from '#config/owner-token.ts';
import { ROTATE_TOKEN_METHOD, type TokenRotated } from '#core/owner-token.ts';
import type { Random } from '#core/random.ts';
import type { OwnMethods } from '#transport/admin/own-methods.ts';

/** Replaces the owner's token in the daemon that runs, so that nobody has to restart it. */
export function rotateTokenMethod(
  doorman: Pick<TokenDoorman, 'replaceOwn'>,
  random: Random,
): OwnMethods {
  return {
    async [ROTATE_TOKEN_METHOD](params): Promise<TokenRotated> {
      const { now } = (params ?? {}) as { now?: unknown };
      const token = generateOwnerToken(random);
      const rotation = doorman.replaceOwn(token, now === true ? 'at_once' : 'after_grace');
      return rotation.kept ? rotation : { ...rotation, token };
    },
  };
}
