// The page of the deals of a day: the own results can be shared.

import { byId } from "./elements.js";
import { offerSharing } from "./sharing.js";

const results = byId("shared");
if (results) offerSharing(byId("copy"), results, { text: results.textContent ?? "" }, "Share");
