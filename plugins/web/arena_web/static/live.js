// A page of which a part follows something.

import { find } from "./elements.js";
import { LivePart } from "./live_part.js";

new LivePart(find(document, "[data-live]"));
