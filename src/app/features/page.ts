import { createPageSessions } from '#auth/page-sessions.ts';
import { PAGE_METHODS, type PageLoggedOut, type PageOpened } from '#core/auth/page-login.ts';
import { CallError } from '#core/errors/call-error.ts';
import { fix } from '#core/messages/fixes.ts';
import { pageEndpoints } from '#transport/page/page-endpoints.ts';
import { createPeerUser } from '../listeners/peer-user.ts';
import { reachableUrl } from '../listeners/daemon-url.ts';
import { createLoginFiles } from '../page/login-files.ts';
import { createPageReader } from '../page/read-page.ts';
import type { FeatureContext } from './context.ts';
import type { Feature } from './feature.ts';

type PageContext = Pick<
  FeatureContext,
  'loaded' | 'store' | 'ops' | 'modelDirectory' | 'clock' | 'random' | 'log'
>;

/** The page at `/`, and the codes with which `exai open` logs a browser in. */
export function pageFeature(context: PageContext): Feature {
  const { loaded, ops, clock, random, log } = context;
  const sessions = createPageSessions({ clock, random });
  const files = createLoginFiles(loaded.home.cacheDir, random, log);

  async function open(): Promise<PageOpened> {
    const endpoint = ops.endpoint();
    if (endpoint === undefined) throw noPort();
    const url = `${reachableUrl(endpoint)}/`;
    const loginUrl = `${url}login`;
    const file = files.newPath();
    const { code, expiresInMs } = sessions.issueCode(() => files.remove(file));
    files.write(file, { loginUrl, code });
    return { url, loginUrl, code, expiresInMs, file };
  }

  return {
    name: 'page',
    endpoints: pageEndpoints({
      sessions: {
        ...sessions,
        redeem(code, peer) {
          const redeemed = sessions.redeem(code, peer);
          if (redeemed.is === 'session') log.info('page_login', { peer });
          return redeemed;
        },
      },
      read: createPageReader(context),
      peerUser: createPeerUser(),
      clock,
    }),
    adminMethods: {
      [PAGE_METHODS.open]: open,
      [PAGE_METHODS.logout]: async (): Promise<PageLoggedOut> => ({ ended: sessions.endAll() }),
    },
    drain: async () => void sessions.endAll(),
  };
}

function noPort(): CallError {
  return new CallError('not_configured', 'The page needs a TCP port, and the port is off.', {
    field: 'port',
    fixes: [fix('set_setting', { setting: 'EXAI_PORT', value: 'a number' })],
  });
}
