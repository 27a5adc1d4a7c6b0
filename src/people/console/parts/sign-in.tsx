import type { Html } from "../screen.ts";

export function SignIn({ why }: { readonly why: string | null }): Html {
  return (
    <form method="post" action="/sign-in">
      {why === null ? null : <p class="problem">{why}</p>}
      <p class="field">
        <label for="token">Token</label>
        <input id="token" name="token" type="password" required autocomplete="current-password" />
        <span class="hint">As it stands in the file of console.tokenFile.</span>
      </p>
      <button type="submit">Sign in</button>
    </form>
  );
}
