import type { CallError } from '#core/errors/call-error.ts';
import { renderMessage } from './document.ts';
import { html, type Html } from './html.ts';

/** The form for a code. `problem`: why the previous one was refused. */
export function renderLogin(problem?: CallError): Html {
  return renderMessage(
    'Log in to EX-AI',
    html`${problem === undefined ? undefined : html`<p class="bad" role="alert">${problem.message} ${problem.fix}</p>`}
      <form method="post" action="/login">
        <label for="code">Code of <code>exai open</code></label>
        <input
          id="code"
          name="code"
          autocomplete="off"
          autocapitalize="characters"
          spellcheck="false"
          maxlength="64"
          required
          autofocus
        />
        <button>Log in</button>
      </form>`,
  );
}

/**
 * After a login. A redirect would not do: it continues the request of the file or form that posted
 * the code, and from another site browsers do not send a `SameSite=Strict` cookie with it. This page
 * is ours, so its own request has the cookie.
 */
export function renderLoggedIn(): Html {
  return renderMessage('You are logged in', html`<p><a href="/">Continue to EX-AI</a></p>`, '/');
}

/**
 * The file that `exai open` has a browser open. It posts the code by its script, which is in this
 * file alone; without scripts there is the button.
 */
export function renderLoginFile(loginUrl: string, code: string): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="referrer" content="no-referrer" />
        <meta name="color-scheme" content="light dark" />
        <title>EX-AI</title>
      </head>
      <body>
        <form method="post" action="${loginUrl}">
          <input type="hidden" name="code" value="${code}" />
          <p>Opening EX-AI… <button>Continue</button></p>
        </form>
        <script>
          document.forms[0].submit();
        </script>
      </body>
    </html> `;
}
