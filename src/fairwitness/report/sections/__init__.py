"""What each part of the page shows, made from the document; the templates only lay it out."""
