// The page of the deals of a day: the own results can be shared.

import { byId, findById } from "./elements.js";
import { offerSharing } from "./sharing.js";

const results = findById("shared");
if (results) offerSharing(byId("copy"), results, { text: results.textContent ?? "" }, "Share");
