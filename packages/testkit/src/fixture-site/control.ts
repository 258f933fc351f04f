import { BrowserError } from '@wheelhouse/contracts';
import { json, type Reply, type SiteRequest } from './http.ts';
import { SwitchesPatch } from './switches.ts';

/** What the control endpoints can reach. */
export interface Control {
  readonly token: string;
  readonly set: (change: SwitchesPatch) => void;
  readonly reset: () => void;
  readonly switches: () => unknown;
  readonly effects: () => unknown;
  /** What a person who is logged in elsewhere would know: captcha answer, second-factor code, a fresh cookie. */
  readonly answers: () => unknown;
}

/**
 * The endpoints by which another process drives the site, each with `authorization: Bearer TOKEN`:
 * `POST /__control` (switches as JSON), `GET /__control`, `POST /__reset`, `GET /__effects`, `GET /__answers`.
 * `null` for other paths.
 */
export function controlAnswer(request: SiteRequest, control: Control): Reply | null {
  if (!request.path.startsWith('/__')) return null;
  if (request.headers.authorization !== `Bearer ${control.token}`)
    return json({ error: 'The control token is missing or wrong.' }, 401);
  switch (`${request.method} ${request.path}`) {
    case 'POST /__control':
      control.set(readPatch(request.body));
      return json(control.switches());
    case 'GET /__control':
      return json(control.switches());
    case 'POST /__reset':
      control.reset();
      return json(control.switches());
    case 'GET /__effects':
      return json(control.effects());
    case 'GET /__answers':
      return json(control.answers());
    default:
      return json({ error: 'There is no such control endpoint.' }, 404);
  }
}

function readPatch(body: string): SwitchesPatch {
  try {
    return SwitchesPatch.parse(JSON.parse(body));
  } catch {
    throw new BrowserError('invalid_request', 'The body is no JSON object of known switches.');
  }
}
