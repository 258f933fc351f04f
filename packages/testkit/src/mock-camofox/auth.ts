import type { Answer, Call } from './call.ts';
import { refuse } from './call.ts';
import type { Settings } from './settings.ts';

/** The Bearer token of a request; the scheme in any case. */
function tokenOf(call: Call): string | null {
  const header = call.headers['authorization'];
  return (typeof header === 'string' ? /^Bearer\s+(.+)$/i.exec(header)?.[1]?.trim() : undefined) ?? null;
}

/** Refuses what has no access key. `/health` is open, and routes with a key of their own are left to it (recording 02-auth). */
export function accessGate(call: Call, { accessKey, apiKey, adminKey }: Settings): Answer | null {
  if (accessKey === null || call.path === '/health') return null;
  if (apiKey !== null && call.method === 'POST' && /^\/sessions\/[^/]+\/cookies$/.test(call.path)) return null;
  if (adminKey !== null && call.method === 'POST' && call.path === '/stop') return null;
  if (tokenOf(call) === accessKey) return null;
  return {
    status: 401,
    json: { error: 'Unauthorized' },
    headers: { 'WWW-Authenticate': 'Bearer realm="camofox"' },
  };
}

/** Cookie import: the API key, else loopback outside of production. */
export function cookieGate(call: Call, { apiKey, production }: Settings): Answer | null {
  if (apiKey !== null) return tokenOf(call) === apiKey ? null : refuse(403, 'Forbidden');
  if (!production) return null;
  return refuse(
    403,
    'Cookie import is disabled without CAMOFOX_API_KEY except for loopback requests in non-production environments.',
  );
}

/** Traces and stored state: either key, else loopback outside of production. */
export function storedStateGate(call: Call, { accessKey, apiKey, production }: Settings): Answer | null {
  const token = tokenOf(call);
  if (token !== null && (token === apiKey || token === accessKey)) return null;
  if (accessKey !== null || apiKey !== null) return refuse(403, 'Forbidden');
  if (!production) return null;
  return refuse(
    403,
    'This endpoint requires CAMOFOX_API_KEY except for loopback requests in non-production environments.',
  );
}

/** `/stop`: the admin key in a header of its own. */
export function adminGate(call: Call, { adminKey }: Settings): Answer | null {
  return adminKey !== null && call.headers['x-admin-key'] === adminKey ? null : refuse(403, 'Forbidden');
}
